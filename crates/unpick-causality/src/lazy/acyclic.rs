//! A graph that stays acyclic, with a topological order that is kept up to date.
//!
//! D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm for directed acyclic graphs",
//! JEA 2006. An edge that agrees with the order costs nothing; another one rearranges the nodes between
//! its ends. Taking edges back leaves the order as it is, which is what a solver that backtracks needs.

/// A graph whose edges carry labels.
pub(super) struct Acyclic<L> {
    after: Vec<Vec<(u32, L)>>,
    before: Vec<Vec<(u32, L)>>,
    /// Invariant: smaller at the beginning of an edge than at its end; a permutation.
    rank: Vec<u32>,
    /// How each node was reached, by the search with number `mark`.
    reached: Vec<(u32, u32, Option<L>)>,
    mark: u32,
    stack: Vec<u32>,
    behind: Vec<u32>,
    ahead: Vec<u32>,
    ranks: Vec<u32>,
}

impl<L: Copy> Acyclic<L> {
    /// A graph without edges; the nodes are in the order of their numbers.
    pub fn new(node_count: usize) -> Acyclic<L> {
        Acyclic {
            after: (0..node_count).map(|_| Vec::new()).collect(),
            before: (0..node_count).map(|_| Vec::new()).collect(),
            rank: (0..node_count as u32).collect(),
            reached: vec![(0, 0, None); node_count],
            mark: 0,
            stack: Vec::new(),
            behind: Vec::new(),
            ahead: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// The place of a node in the topological order.
    pub fn rank(&self, node: usize) -> u32 {
        self.rank[node]
    }

    /// Adds an edge. If that makes a cycle, the edge is not added and the labels of the others on the
    /// cycle are appended to `cycle`.
    pub fn insert(&mut self, from: usize, to: usize, label: L, cycle: &mut Vec<L>) -> bool {
        if self.rank[from] >= self.rank[to] && !self.rearrange(from as u32, to as u32, cycle) {
            return false;
        }
        self.after[from].push((to as u32, label));
        self.before[to].push((from as u32, label));
        true
    }

    /// Takes back the last edge, which must be this one.
    pub fn remove_last(&mut self, from: usize, to: usize) {
        self.after[from].pop();
        self.before[to].pop();
    }

    /// Brings `from` before `to`; false if there is a path from `to` to `from`.
    fn rearrange(&mut self, from: u32, to: u32, cycle: &mut Vec<L>) -> bool {
        let (low, high) = (self.rank[to as usize], self.rank[from as usize]);
        self.mark += 1;
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.clear();
        self.reach(to, None);
        while let Some(node) = self.stack.pop() {
            if node == from {
                self.stack.clear();
                self.collect_path(to, from, cycle);
                self.ahead = ahead;
                return false;
            }
            ahead.push(node);
            for at in 0..self.after[node as usize].len() {
                let (next, label) = self.after[node as usize][at];
                if self.rank[next as usize] <= high && self.reached[next as usize].0 != self.mark {
                    self.reach(next, Some((node, label)));
                }
            }
        }
        self.mark += 1;
        let mut behind = std::mem::take(&mut self.behind);
        behind.clear();
        self.reach(from, None);
        while let Some(node) = self.stack.pop() {
            behind.push(node);
            for at in 0..self.before[node as usize].len() {
                let (next, label) = self.before[node as usize][at];
                if self.rank[next as usize] >= low && self.reached[next as usize].0 != self.mark {
                    self.reach(next, Some((node, label)));
                }
            }
        }
        self.reassign(&mut behind, &mut ahead);
        (self.behind, self.ahead) = (behind, ahead);
        true
    }

    fn reach(&mut self, node: u32, by: Option<(u32, L)>) {
        let (from, label) = by.map_or((node, None), |(from, label)| (from, Some(label)));
        self.reached[node as usize] = (self.mark, from, label);
        self.stack.push(node);
    }

    fn collect_path(&self, start: u32, end: u32, labels: &mut Vec<L>) {
        let mut node = end;
        while node != start {
            let (_, from, label) = self.reached[node as usize];
            labels.extend(label);
            node = from;
        }
    }

    /// Gives the ranks of these nodes out again: first to what comes before the new edge.
    fn reassign(&mut self, behind: &mut [u32], ahead: &mut [u32]) {
        let rank = &mut self.rank;
        behind.sort_unstable_by_key(|&node| rank[node as usize]);
        ahead.sort_unstable_by_key(|&node| rank[node as usize]);
        let nodes = || behind.iter().chain(ahead.iter());
        self.ranks.clear();
        self.ranks.extend(nodes().map(|&node| rank[node as usize]));
        self.ranks.sort_unstable();
        for (&node, &new) in nodes().zip(&self.ranks) {
            rank[node as usize] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether there is a path, found the slow way.
    fn is_path(edges: &[(usize, usize)], from: usize, to: usize) -> bool {
        let mut seen = vec![from];
        let mut at = 0;
        while at < seen.len() {
            for &(start, end) in edges {
                if start == seen[at] && !seen.contains(&end) {
                    seen.push(end);
                }
            }
            at += 1;
        }
        seen.contains(&to)
    }

    #[test]
    fn keeps_an_order_and_refuses_cycles() {
        let mut word = 7_u64;
        let mut number = |bound: u64| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((word >> 33) % bound) as usize
        };
        for _ in 0..200 {
            let mut graph = Acyclic::new(12);
            let mut edges: Vec<(usize, usize)> = Vec::new();
            for _ in 0..60 {
                if number(4) == 0
                    && let Some((from, to)) = edges.pop()
                {
                    graph.remove_last(from, to);
                    continue;
                }
                let (from, to) = (number(12), number(12));
                if from == to {
                    continue;
                }
                let mut cycle = Vec::new();
                let added = graph.insert(from, to, (from, to), &mut cycle);
                assert_eq!(added, !is_path(&edges, to, from), "{edges:?} {from} {to}");
                if added {
                    edges.push((from, to));
                } else {
                    cycle.reverse();
                    assert_eq!((cycle[0].0, cycle[cycle.len() - 1].1), (to, from));
                    assert!(cycle.windows(2).all(|pair| pair[0].1 == pair[1].0));
                    assert!(cycle.iter().all(|edge| edges.contains(edge)));
                }
                assert!(edges.iter().all(|&(a, b)| graph.rank(a) < graph.rank(b)));
            }
        }
    }
}
