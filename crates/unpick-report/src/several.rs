//! Words for programs that fail in several ways.

use crate::{count, thousands};

/// What stands below the five lines of a failure: how many of the failing schedules fail like this.
pub fn count_line(alike: u64, failures: u64) -> String {
    let (alike, all) = (thousands(alike), count(failures, "failing schedule"));
    format!("  count   {alike} of {all}")
}

/// What is said of the failing schedules that fail in none of the ways that are told: `counts` are those of the
/// ways that are. Nothing if there are none.
pub fn more_line(name: &str, counts: &[u64], failures: u64) -> Option<String> {
    let told: u64 = counts.iter().sum();
    let more = failures.checked_sub(told).filter(|more| *more > 0)?;
    let verb = if more == 1 { "fails" } else { "fail" };
    (!counts.is_empty()).then(|| {
        let more = count(more, "failing schedule");
        let ways = counts.len();
        format!("MORE  {name}  {more} {verb} in other ways than these {ways}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_and_what_is_left() {
        assert_eq!(count_line(1, 1), "  count   1 of 1 failing schedule");
        assert_eq!(
            count_line(1_200, 4_000),
            "  count   1,200 of 4,000 failing schedules"
        );
        assert_eq!(more_line("a", &[3, 4], 7), None);
        assert_eq!(more_line("a", &[], 7), None);
        assert_eq!(
            more_line("a", &[3, 4], 8).unwrap(),
            "MORE  a  1 failing schedule fails in other ways than these 2"
        );
        assert_eq!(
            more_line("a", &[3, 4], 1_008).unwrap(),
            "MORE  a  1,001 failing schedules fail in other ways than these 2"
        );
    }
}
