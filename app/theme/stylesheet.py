"""The style of all controls, from the theme's colours."""

from __future__ import annotations

from string import Template

from as2d.app.theme.colours import Scheme, colours_of

_SHEET = Template("""
QMainWindow, QDialog { background: $window; }
QMessageBox QLabel#qt_msgbox_informativelabel { min-width: 320px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 5px 7px; }
QMenuBar { background: $window; border-bottom: 1px solid $border; padding: 2px 6px; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $raised; border: 1px solid $border; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selected; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 5px 8px; }
QMenu::icon { padding-left: 8px; }

QPushButton, QToolButton#picker, QComboBox, QSpinBox, QLineEdit, QKeySequenceEdit {
    background: $raised; color: $text; border: 1px solid $control_border; border-radius: 6px;
    padding: 4px 10px; min-height: 20px;
}
QPushButton:hover, QComboBox:hover, QToolButton#picker:hover { background: $hover; }
QPushButton:pressed, QToolButton#picker:pressed { background: $selected; }
QPushButton:disabled, QComboBox:disabled, QSpinBox:disabled, QLineEdit:disabled {
    color: $disabled; border-color: $border; background: $window;
}
QPushButton:focus, QComboBox:focus, QSpinBox:focus, QLineEdit:focus, QToolButton#picker:focus {
    border: 2px solid $focus; padding: 3px 9px;
}
QPushButton#primary, QPushButton:default#primary {
    background: $accent; color: $accent_text; border: 1px solid $accent; font-weight: 600; padding: 4px 16px;
}
QPushButton#primary:hover { background: $accent_hover; }
QPushButton#primary:focus { border: 2px solid $text; padding: 3px 15px; }
QPushButton#primary:disabled { background: $hover; color: $disabled; border-color: $border; }
QComboBox { padding-right: 6px; combobox-popup: 0; }
QComboBox:focus { padding-right: 5px; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(as2dicons:arrow-down-$scheme.svg); width: 12px; height: 12px; }
QComboBox::down-arrow:disabled { image: none; }
QSpinBox { padding-right: 20px; max-height: 20px; }
QSpinBox:focus { padding-right: 19px; }
QSpinBox::up-button, QSpinBox::down-button {
    subcontrol-origin: border; width: 20px; border: none; background: transparent;
}
QSpinBox::up-button { subcontrol-position: top right; }
QSpinBox::down-button { subcontrol-position: bottom right; }
QSpinBox::up-button:hover, QSpinBox::down-button:hover { background: $hover; }
QSpinBox::up-arrow { image: url(as2dicons:arrow-up-$scheme.svg); width: 10px; height: 10px; }
QSpinBox::down-arrow { image: url(as2dicons:arrow-down-$scheme.svg); width: 10px; height: 10px; }
QSpinBox::up-arrow:disabled, QSpinBox::down-arrow:disabled { image: none; }
QComboBox QAbstractItemView {
    background: $raised; border: 1px solid $border; outline: none;
    selection-background-color: $selected; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: 26px; }

QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 4px; background: transparent; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $selected; }
QToolButton:focus { border: 2px solid $focus; padding: 3px; }

QWidget#topBar { background: $window; border-bottom: 1px solid $border; }
QLabel#caption { color: $secondary; font-size: 11px; }
QLabel#secondary { color: $secondary; }
QLabel#heading { font-size: 17px; font-weight: 600; }
QWidget#panel { background: $surface; }
QWidget#page { background: $window; }
QWidget#drop { border: 2px dashed $accent; }
QFrame#card { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame#rule { color: $border; }
QWidget#workBar { background: $sunken; border-bottom: 1px solid $border; }
QPushButton#small { padding: 2px 9px; min-height: 18px; font-size: 12px; }
QPushButton#small:focus { padding: 1px 8px; }
QLabel#cardTitle { font-size: 14px; font-weight: 600; }
QLabel#plate { background: $raised; border: 1px solid $border; border-radius: 4px; padding: 2px 6px; }
QLabel#subtitle { font-weight: 600; }
QLabel#note { color: $secondary; font-size: 11px; }
QLabel#problem { color: $danger; }
QLabel#big { font-size: 26px; font-weight: 600; }
QLabel#tile { font-size: 18px; font-weight: 600; }
QLabel#badge { border-radius: 9px; padding: 1px 9px; font-size: 11px; background: $hover; }
QLabel#badge[tone="good"] { color: $success; }
QLabel#badge[tone="bad"] { color: $warning; }
QLabel#chipState { color: $secondary; font-size: 11px; }
QLabel#chipState[tone="good"] { color: $success; }
QLabel#chipState[tone="bad"] { color: $danger; }
QLabel#chipState[tone="busy"] { color: $warning; }
QToolButton#chip { padding: 5px 2px; font-weight: 600; border: none; }
QToolButton#chip:focus { border: 2px solid $focus; padding: 3px 0; }
QWidget#strip { background: $surface; border-bottom: 1px solid $border; }
QWidget#footer { background: $surface; border-top: 1px solid $border; }
QFrame#messageBar { border-radius: 6px; }
QFrame#messageBar[kind="error"] { background: $danger_surface; border: 1px solid $danger; }
QFrame#messageBar[kind="note"] { background: $warning_surface; border: 1px solid $warning; }
QFrame#messageBar[kind="error"] QLabel { color: $text; }

QAbstractScrollArea, QListView, QTreeView, QTableView, QTextEdit, QPlainTextEdit {
    background: $surface; border: none; selection-background-color: $selected; selection-color: $text;
}
QListView, QTreeView, QTableView { outline: none; }
QListWidget::item { padding: 5px 8px; border-radius: 4px; color: $text; }
QListWidget::item:hover { background: $hover; }
QListWidget::item:selected { background: $selected; color: $text; }
QTreeView::item, QTableView::item { padding: 5px 4px; }
QTreeView::item:hover, QTableView::item:hover { background: $hover; }
QTreeView::item:selected, QTableView::item:selected { background: $selected; color: $text; }
QTreeView:focus, QListView:focus, QTableView:focus, QTextEdit:focus, QPlainTextEdit:focus {
    border: 1px solid $focus;
}
QHeaderView { background: $surface; }
QHeaderView::section {
    background: $surface; color: $secondary; border: none; border-bottom: 1px solid $border; padding: 5px 5px;
    font-size: 11px;
}

QTabBar { background: transparent; }
QTabBar::tab { color: $secondary; padding: 7px 14px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:hover { color: $text; background: $hover; }
QTabBar::tab:focus { color: $text; background: $selected; }
QTabWidget::pane { border: none; }

QStatusBar { background: $window; border-top: 1px solid $border; color: $secondary; }
QStatusBar::item { border: none; }
QProgressBar { background: $hover; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QCheckBox { spacing: 8px; padding: 3px; }
QCheckBox::indicator {
    width: 15px; height: 15px; border: 1px solid $control_border; border-radius: 4px; background: $raised;
}
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: url(as2dicons:tick-$scheme.svg);
}
QCheckBox::indicator:disabled { border-color: $border; background: $window; }
QCheckBox:focus { border: 1px solid $focus; border-radius: 4px; padding: 2px; }
QSplitter::handle { background: $border; }
QGroupBox { border: none; margin-top: 18px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; padding: 0; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $control_border; border-radius: 3px; }
QScrollBar::handle:vertical { min-height: 30px; margin: 2px 3px; }
QScrollBar::handle:horizontal { min-width: 30px; margin: 3px 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")

_DOCKS = Template("""
ads--CDockContainerWidget { background: $window; }
ads--CDockContainerWidget > QSplitter { padding: 0; }
ads--CDockContainerWidget ads--CDockSplitter::handle { background: $border; }
ads--CDockAreaWidget { background: $surface; border: none; }
ads--CDockAreaTitleBar { background: $window; border-bottom: 1px solid $border; padding: 0; }
ads--CDockWidget { background: $surface; border: none; }
ads--CDockWidgetTab {
    background: transparent; border: none; border-bottom: 2px solid transparent; padding: 2px 6px;
}
ads--CDockWidgetTab[activeTab="true"] { border-bottom: 2px solid $accent; }
ads--CDockWidgetTab[focused="true"] { background: $hover; border-bottom: 2px solid $accent; }
ads--CDockWidgetTab QPushButton, ads--CDockWidgetTab QToolButton, ads--CTitleBarButton {
    border: none; border-radius: 4px; background: transparent; padding: 2px; margin: 0; min-height: 14px;
    max-width: 18px; max-height: 18px;
}
ads--CDockWidgetTab QPushButton:hover, ads--CDockWidgetTab QToolButton:hover, ads--CTitleBarButton:hover {
    background: $hover;
}
ads--CDockWidgetTab QPushButton {
    qproperty-icon: url(as2dicons:tab-close-$scheme.svg); qproperty-iconSize: 12px;
}
ads--CDockWidgetTab QLabel { color: $secondary; }
ads--CDockWidgetTab[activeTab="true"] QLabel { color: $text; }
ads--CFloatingDockContainer { background: $window; }
""")


def stylesheet(scheme: Scheme) -> str:
    """The style of the application's controls; its pictures are found by `as2dicons:`."""
    return _SHEET.substitute(colours_of(scheme).model_dump(), scheme=scheme)


def dock_stylesheet(scheme: Scheme) -> str:
    """The style of panels and their title bars."""
    return _DOCKS.substitute(colours_of(scheme).model_dump(), scheme=scheme)
