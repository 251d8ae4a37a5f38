//! What programs ask OpenMP, and set.

use super::{Member, Team, openmp};
use crate::runtime::{Runtime, runtime};
use core::ffi::c_int;

impl Runtime {
    /// The team that the running thread is in, without one that it made for itself.
    fn region(&mut self) -> Option<&Team> {
        let team = self.member().team?;
        let team = &self.openmp.teams[team];
        (team.level > 0).then_some(team)
    }

    /// What the running thread, or the one that created its region, was doing at a level.
    fn at_level(&mut self, level: c_int) -> Option<(Member, u32)> {
        let mut member = *self.member();
        loop {
            let Some(team) = member.team.map(|team| &self.openmp.teams[team]) else {
                return (level == 0).then_some((Member::default(), 1));
            };
            if team.level as c_int == level {
                return Some((member, team.size));
            }
            if team.level == 0 {
                return None;
            }
            member = team.outer;
        }
    }
}

openmp! {
    fn omp_get_thread_num(; pc) -> c_int {
        runtime().member().number as c_int
    }

    fn omp_get_num_threads(; pc) -> c_int {
        runtime().region().map_or(1, |team| team.size as c_int)
    }

    fn omp_get_max_threads(; pc) -> c_int {
        let this = runtime();
        this.openmp.threads_wanted(this.launch.processors) as c_int
    }

    fn omp_set_num_threads(count: c_int; pc) {
        let this = runtime();
        // For the next execution to begin without it.
        this.member();
        this.openmp.threads = count.max(1) as u32;
    }

    fn omp_get_num_procs(; pc) -> c_int {
        runtime().launch.processors as c_int
    }

    fn omp_in_parallel(; pc) -> c_int {
        c_int::from(runtime().region().is_some_and(|team| team.active_level > 0))
    }

    fn omp_get_level(; pc) -> c_int {
        runtime().region().map_or(0, |team| team.level as c_int)
    }

    fn omp_get_active_level(; pc) -> c_int {
        runtime().region().map_or(0, |team| team.active_level as c_int)
    }

    fn omp_get_ancestor_thread_num(level: c_int; pc) -> c_int {
        runtime().at_level(level).map_or(-1, |(member, _)| member.number as c_int)
    }

    fn omp_get_team_size(level: c_int; pc) -> c_int {
        runtime().at_level(level).map_or(-1, |(_, size)| size as c_int)
    }

    fn omp_set_nested(is_nested: c_int; pc) {
        let this = runtime();
        this.member();
        this.openmp.nested_levels = if is_nested != 0 { u32::MAX } else { 0 };
    }

    fn omp_get_nested(; pc) -> c_int {
        c_int::from(runtime().openmp.nested_levels > 0)
    }

    fn omp_set_max_active_levels(levels: c_int; pc) {
        let this = runtime();
        this.member();
        this.openmp.nested_levels = levels.max(1) as u32 - 1;
    }

    fn omp_get_max_active_levels(; pc) -> c_int {
        (runtime().openmp.nested_levels.min(i32::MAX as u32 - 1) + 1) as c_int
    }
}
