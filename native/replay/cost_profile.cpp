#include "replay/cost_profile.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace as2d::replay {
namespace {

constexpr int kVersion = 2;
constexpr int kVersionWithoutTurns = 1;
constexpr int kMostTurns = 64;
constexpr int kMostThreads = 4096;
constexpr int kMostTokens = 1 << 20;
constexpr std::size_t kMostRows = 100'000;
// Bounds that keep every sum of costs far from the end of Nanos.
constexpr double kMostMs = 1e5;
constexpr double kMostNs = 1e11;
constexpr double kMostFactor = 10.0;
constexpr double kNsPerMs = 1e6;
constexpr double kWholeWindow = 30.0;  // seconds

double between(double at, double x0, double y0, double x1, double y1) {
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0);
}

/// Gives the rows of one list that were measured at `threads` to add(fields, context, k, ns), which is false
/// for one that is there already.
template <typename Add>
void read_rows(const Fields& profile, const char* key, int threads, Add add) {
    bool any = false;
    for (const Json& row : profile.list(key, kMostRows)) {
        const Fields fields(row, std::string("rows in '") + key + "' of the cost profile");
        const int row_threads = fields.integer("threads", 1, kMostThreads);
        const int context = fields.integer("context", 0, kMostTokens);
        const int k = fields.integer("k", 1, kMostTokens);
        const double ms = fields.number("ms_median", 0.0, kMostMs);
        if (row_threads != threads) continue;
        any = true;
        if (!add(fields, context, k, ms * kNsPerMs)) {
            profile.fail(key, "measures k = " + std::to_string(k) + " at context " + std::to_string(context) +
                                  " and " + std::to_string(threads) + " threads twice");
        }
    }
    if (!any) profile.fail(key, "has no row for " + std::to_string(threads) + " threads");
}

CostTable target_calls(const Fields& profile, const char* key, int threads) {
    CostTable table;
    read_rows(profile, key, threads,
              [&table](const Fields&, int context, int k, double ns) { return table.add(context, k, ns); });
    return table;
}

double seconds_of(const Fields& row) {
    return row.optional("seconds").is_null() ? kWholeWindow : row.number("seconds", 0.1, kWholeWindow);
}

DrafterCosts drafter_steps(const Fields& profile, int threads) {
    DrafterCosts costs;
    read_rows(profile, "drafter_steps", threads, [&costs](const Fields& row, int context, int k, double ns) {
        return costs.add(seconds_of(row), context, k, ns);
    });
    return costs;
}

std::vector<DrafterCosts> drafter_turns(const Fields& profile, int threads) {
    std::map<int, DrafterCosts> turns;
    read_rows(profile, "drafter_turns", threads, [&turns](const Fields& row, int context, int k, double ns) {
        return turns[row.integer("turn", 1, kMostTurns)].add(seconds_of(row), context, k, ns);
    });
    std::vector<DrafterCosts> out;
    for (auto& [nth, costs] : turns) {
        if (nth != static_cast<int>(out.size()) + 1) {
            profile.fail("drafter_turns", "lacks step " + std::to_string(out.size() + 1) + " behind a call");
        }
        out.push_back(std::move(costs));
    }
    return out;
}

}  // namespace

bool CostTable::add(int context, int k, double ns) {
    auto curve = std::ranges::lower_bound(curves_, context, {}, &Curve::context);
    if (curve == curves_.end() || curve->context != context) curve = curves_.insert(curve, {context, {}});
    auto& points = curve->points;
    const auto at = std::ranges::lower_bound(points, k, {}, &std::pair<int, double>::first);
    if (at != points.end() && at->first == k) return false;
    points.insert(at, {k, ns});
    return true;
}

double CostTable::Curve::at(int k) const {
    if (k <= points.front().first) return points.front().second;
    const auto& [last_k, last_ns] = points.back();
    if (k > last_k) {
        if (points.size() == 1) return last_ns;
        const auto& [before_k, before_ns] = points[points.size() - 2];
        return last_ns + std::max(0.0, (last_ns - before_ns) / (last_k - before_k)) * (k - last_k);
    }
    const auto high = std::ranges::lower_bound(points, k, {}, &std::pair<int, double>::first);
    const auto low = std::prev(high);
    return between(k, low->first, low->second, high->first, high->second);
}

Nanos CostTable::at(int k, int context) const {
    const auto high = std::ranges::lower_bound(curves_, context, {}, &Curve::context);
    double ns = 0.0;
    if (high == curves_.begin()) {
        ns = high->at(k);
    } else if (high == curves_.end()) {
        ns = curves_.back().at(k);
    } else {
        const auto low = std::prev(high);
        ns = between(context, low->context, low->at(k), high->context, high->at(k));
    }
    return static_cast<Nanos>(std::llround(std::min(ns, kMostNs)));
}

Nanos DrafterCosts::at(int k, int context, double seconds) const {
    const auto high = tables_.lower_bound(seconds);
    if (high == tables_.begin()) return high->second.at(k, context);
    const auto low = std::prev(high);
    const auto shorter = low->second.at(k, context);
    if (high == tables_.end()) return shorter;
    return std::llround(between(seconds, low->first, static_cast<double>(shorter), high->first,
                                static_cast<double>(high->second.at(k, context))));
}

Nanos CostProfile::call(int k, int context, bool behind_step) const {
    return (behind_step && !target_in_turn.empty() ? target_in_turn : target_alone).at(k, context);
}

Nanos CostProfile::step(int nth, int width, int context, double seconds) const {
    const auto turns = static_cast<int>(drafter_in_turn.size());
    const Nanos usual = drafter_alone.at(width, context, seconds);
    if (nth > turns) return usual;
    const DrafterCosts& in_turn = drafter_in_turn[static_cast<std::size_t>(nth - 1)];
    if (nth == 1 || width == 1) return in_turn.at(width, context, seconds);
    // Only first steps are measured at every width: a later one takes longer by as much as one of width 1.
    const Nanos longer = in_turn.at(1, context, seconds) - drafter_alone.at(1, context, seconds);
    return std::max(Nanos{0}, usual + longer);
}

CostProfile parse_cost_profile(const Json& profile) {
    const Fields fields(profile, "cost profile");
    const int version = fields.integer("version", 1, 1 << 30);
    if (version > kVersion) {
        fields.fail("version", "is " + std::to_string(version) + ", and only versions up to " +
                                   std::to_string(kVersion) + " can be replayed");
    }
    CostProfile out;
    out.cores = fields.integer("cores", 1, kMostThreads);
    out.threads = fields.integer("threads", 1, kMostThreads);
    out.shared_threads = fields.integer("shared_threads", 1, kMostThreads);
    out.drafter_threads = fields.integer("drafter_threads", 1, kMostThreads);
    out.drafter_shared_threads = fields.integer("drafter_shared_threads", 1, kMostThreads);
    out.target_alone = target_calls(fields, "target_calls", out.threads);
    out.target_shared = target_calls(fields, "target_calls", out.shared_threads);
    out.drafter_alone = drafter_steps(fields, out.drafter_threads);
    out.drafter_shared = drafter_steps(fields, out.drafter_shared_threads);
    if (version > kVersionWithoutTurns) {
        out.target_in_turn = target_calls(fields, "target_turns", out.threads);
        out.drafter_in_turn = drafter_turns(fields, out.drafter_threads);
    }
    const Fields interference = fields.object("interference", "cost profile's interference");
    out.target_beside = interference.number("target", 0.1, kMostFactor);
    out.drafter_beside = interference.number("drafter", 0.1, kMostFactor);
    return out;
}

}  // namespace as2d::replay
