//! Patterns for names of tests.

/// Whether a pattern fits the name of a test: the whole of it, or what follows one of its `::`.
/// `*` stands for anything, `?` for one character.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut rest = name;
    loop {
        let characters: Vec<char> = rest.chars().collect();
        if fits_whole(&pattern, &characters) {
            return true;
        }
        match rest.split_once("::") {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
}

fn fits_whole(pattern: &[char], name: &[char]) -> bool {
    // Where the last `*` stands, and how much of the name it stands for.
    let (mut star, mut covered) = (None, 0);
    let (mut at, mut read) = (0, 0);
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                (star, covered) = (Some(at), read);
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[read] => {
                at += 1;
                read += 1;
            }
            _ => match star {
                Some(star) => {
                    covered += 1;
                    (at, read) = (star + 1, covered);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&left| left == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names_or_their_ends() {
        let name = "bank::tests::transfer_keeps_total";
        for pattern in [
            "transfer_keeps_total",
            "tests::transfer*",
            "bank::*",
            "*",
            "*keeps*",
            "transfer_?eeps_total",
            "b*::t*::t*l",
        ] {
            assert!(fits(pattern, name), "{pattern}");
        }
        for pattern in [
            "transfer",
            "bank",
            "keeps*",
            "tests",
            "?",
            "",
            "bank::transfer*x",
        ] {
            assert!(!fits(pattern, name), "{pattern}");
        }
        assert!(fits("", "") && fits("**", "") && !fits("?", ""));
    }
}
