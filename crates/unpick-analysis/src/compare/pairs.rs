//! Values of all pairs of traces, what they amount to, and the threads that work them out.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// What one pair of traces is worth, by one of the two polarities.
pub trait Value: Copy + From<f64> + Into<f64> {
    /// The value of a pair of equal traces.
    const OF_EQUALS: Self;
}

/// Greater means more different; 0 for equal traces. In symbols.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Distance(pub f64);

/// Greater means more alike; 1 for equal traces, 0 for traces with nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Similarity(pub f64);

macro_rules! value {
    ($name:ident, $of_equals:literal) => {
        impl Value for $name {
            const OF_EQUALS: $name = $name($of_equals);
        }

        impl From<f64> for $name {
            fn from(value: f64) -> $name {
                $name(value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }
    };
}

value!(Distance, 0.0);
value!(Similarity, 1.0);

/// How much may be done at once, and who watches.
pub struct Work<'a> {
    /// Threads that compare.
    pub jobs: usize,
    /// Told now and then how many pairs of distinct traces are done; answers whether to go on.
    pub observe: &'a (dyn Fn(u64) -> bool + Sync),
}

impl Work<'static> {
    /// Work to the end with this many threads, watched by nobody.
    pub fn with_jobs(jobs: usize) -> Work<'static> {
        Work {
            jobs,
            observe: &|_| true,
        }
    }
}

/// The values of all pairs of a list of traces.
#[derive(Clone, Debug)]
pub struct Pairs<V> {
    trace_count: usize,
    values: Vec<V>,
}

impl<V: Value> Pairs<V> {
    pub(super) fn new(trace_count: usize, values: Vec<V>) -> Pairs<V> {
        assert_eq!(
            values.len(),
            count(trace_count),
            "internal error: a value is missing"
        );
        Pairs {
            trace_count,
            values,
        }
    }

    /// How many traces were compared.
    pub fn trace_count(&self) -> usize {
        self.trace_count
    }

    /// How many pairs there are: n (n - 1) / 2.
    pub fn pair_count(&self) -> usize {
        self.values.len()
    }

    /// The value of two traces, by their places in the list.
    pub fn of(&self, one: usize, other: usize) -> V {
        if one == other {
            return V::OF_EQUALS;
        }
        self.values[index(one.min(other), one.max(other))]
    }

    /// All values: those of (0, 1), (0, 2), (1, 2), (0, 3) and so on.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// The pairs of the first traces alone, as if there were no others.
    pub fn of_first(&self, trace_count: usize) -> Pairs<V> {
        let trace_count = trace_count.min(self.trace_count);
        Pairs::new(trace_count, self.values[..count(trace_count)].to_vec())
    }

    /// The mean over all pairs; `None` with fewer than two traces.
    pub fn mean(&self) -> Option<V> {
        let sum: f64 = self.values.iter().map(|&value| value.into()).sum();
        (!self.values.is_empty()).then(|| V::from(sum / self.values.len() as f64))
    }

    /// The standard deviation over all pairs (of the population, not of a sample).
    pub fn deviation(&self) -> Option<f64> {
        let mean: f64 = self.mean()?.into();
        let squares = self
            .values
            .iter()
            .map(|&value| (value.into() - mean).powi(2));
        Some((squares.sum::<f64>() / self.values.len() as f64).sqrt())
    }
}

/// The number of pairs of `trace_count` things.
pub(super) fn count(trace_count: usize) -> usize {
    trace_count * trace_count.saturating_sub(1) / 2
}

/// Where the value of a pair stands. Those of the first traces come first.
pub(super) fn index(earlier: usize, later: usize) -> usize {
    count(later) + earlier
}

/// The value of every pair, worked out one by one.
pub(super) fn each<T: Sync>(
    items: &[T],
    work: &Work<'_>,
    value: impl Fn(&T, &T) -> f64 + Sync,
) -> Option<Vec<f64>> {
    portions(items.len(), items.len(), work, |later, done| {
        for earlier in 0..later {
            done.push((earlier, later, value(&items[earlier], &items[later])));
        }
    })
}

/// Does `portion_count` portions of the pairs of `item_count` things on several threads, and puts
/// their values in order. A portion adds earlier, later and value of each of its pairs.
pub(super) fn portions(
    item_count: usize,
    portion_count: usize,
    work: &Work<'_>,
    portion: impl Fn(usize, &mut Vec<(usize, usize, f64)>) + Sync,
) -> Option<Vec<f64>> {
    let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let is_ended = AtomicBool::new(false);
    let one_worker = || {
        let mut values = Vec::new();
        while !is_ended.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= portion_count {
                break;
            }
            let before = values.len();
            portion(number, &mut values);
            let new = (values.len() - before) as u64;
            let total = done.fetch_add(new, Ordering::Relaxed) + new;
            if !(work.observe)(total) {
                is_ended.store(true, Ordering::Relaxed);
            }
        }
        values
    };
    let mut values = vec![0.0; count(item_count)];
    thread::scope(|scope| {
        let workers: Vec<_> = (0..work.jobs.clamp(1, portion_count.max(1)))
            .map(|_| scope.spawn(one_worker))
            .collect();
        for worker in workers {
            let results = match worker.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            for (earlier, later, value) in results {
                values[index(earlier, later)] = value;
            }
        }
    });
    (!is_ended.into_inner()).then_some(values)
}
