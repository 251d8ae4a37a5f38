//! What a search takes note of while an execution is performed, and when it is over.

use super::Odpor;
use super::race::Races;
use unpick_engine::{Execution, View};
use unpick_trace::{Outcome, TaskId};

impl Odpor {
    /// Prepares for another execution.
    pub(super) fn prepare(&mut self) {
        self.depth = 0;
        self.asked = 0;
        self.subtree.clear();
        self.script.clear();
        self.names.reset();
        self.history.reset();
        self.sections.reset();
        self.objects.reset();
    }

    /// Takes in what has happened. Answers the task that must go on, since it is within a section, or the
    /// first event of a section that has just turned out not to be movable as an error.
    pub(super) fn take_note(&mut self, view: &View<'_>) -> Result<Option<TaskId>, usize> {
        let execution = view.execution();
        self.names.update(view.trace());
        self.history.extend(execution);
        self.objects.update(execution, &self.history, &self.names);
        let can_go_on = |task| view.eligible().contains(task);
        self.sections.insist(execution, &self.history, can_go_on)
    }

    /// Looks at a finished execution for races. Answers whether it counts as a schedule.
    pub(super) fn look_at(&mut self, execution: &Execution) -> bool {
        self.names.update(execution.trace());
        self.history.extend(execution);
        self.objects.update(execution, &self.history, &self.names);
        self.objects.tell_apart();
        let (history, names, objects) = (&self.history, &self.names, &self.objects);
        let dissolved = self.sections.check(execution, history);
        let sections = &self.sections;
        if let Some(from) = dissolved {
            self.path.look_anew(from, history, sections, objects);
        }
        self.units
            .build(execution, history, names, (sections, objects));
        let is_cut = execution.outcome() == Some(&Outcome::Cut);
        if self.sections.is_refuted {
            return !is_cut && self.keeps();
        }
        if !is_cut || self.path.is_divided {
            let mut races = Races {
                units: &mut self.units,
                history: &self.history,
                sections: &self.sections,
                execution,
            };
            self.path.plan(&mut races, &self.objects);
        }
        !is_cut
    }
}
