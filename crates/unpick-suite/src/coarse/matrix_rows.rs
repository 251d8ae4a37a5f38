//! `n` tasks write a row of a matrix each, cell by cell, and one more reads the first column.
//!
//! Locked: the whole matrix, by one lock, for one cell at a time and for the column. Conflicts: the
//! column with the first cell of each row; all other cells with nothing.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;

pub(crate) const PROGRAM: Program = program(
    "coarse.matrix_rows",
    "rows of a matrix behind one lock, and a reader of a column",
    &[
        Parameter::size("n", "rows", 3, 1, 16),
        Parameter::size("m", "columns", 2, 1, 16),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (rows, columns) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        rows + 1,
        (Mutex::new(()), zeros(rows * columns)),
        move |(lock, cells), number| {
            if number == rows {
                section(lock, || {
                    for cell in cells.iter().step_by(columns) {
                        assert!(cell.load(SeqCst) <= 1);
                    }
                });
                return;
            }
            for (column, cell) in (1..).zip(&cells[number * columns..][..columns]) {
                section(lock, || cell.store(column, SeqCst));
            }
        },
        |(_, cells)| assert!(values(cells).iter().all(|cell| *cell != 0)),
    );
}
