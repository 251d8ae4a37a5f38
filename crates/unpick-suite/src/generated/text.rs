//! Programs as text, in the manner of the language they stand for.

use super::{Program, Statement};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(channel) = self.channel {
            let who = name(channel.receiver);
            match channel.capacity {
                Some(capacity) => {
                    writeln!(f, "channel with room for {capacity}, received by {who}")?
                }
                None => writeln!(f, "channel without limit, received by {who}")?,
            }
        }
        for (number, body) in self.tasks.iter().enumerate() {
            if number > 0 && !self.creates(number) {
                continue;
            }
            writeln!(f, "{}:", name(number))?;
            write_block(f, body, 1)?;
        }
        Ok(())
    }
}

fn name(task: usize) -> String {
    match task {
        0 => "main".to_owned(),
        number => format!("t{number}"),
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, body: &[Statement], depth: usize) -> fmt::Result {
    for statement in body {
        write!(f, "{}", "    ".repeat(depth))?;
        writeln!(f, "{}", head(statement))?;
        let closing = "    ".repeat(depth);
        match statement {
            Statement::TryLock(_, taken, refused) => {
                write_block(f, taken, depth + 1)?;
                writeln!(f, "{closing}}} else {{")?;
                write_block(f, refused, depth + 1)?;
                writeln!(f, "{closing}}}")?;
            }
            _ => {
                for block in statement.blocks() {
                    write_block(f, block, depth + 1)?;
                    writeln!(f, "{closing}}}")?;
                }
            }
        }
    }
    Ok(())
}

/// The first line of a statement.
fn head(statement: &Statement) -> String {
    match statement {
        Statement::Spawn(task) => format!("spawn {}", name(*task)),
        Statement::Join(task) => format!("join {}", name(*task)),
        Statement::Lock(mutex, _) => format!("lock m{mutex} {{"),
        Statement::TryLock(mutex, ..) => format!("if try_lock m{mutex} {{"),
        Statement::DataRead => "r = *guard".to_owned(),
        Statement::DataWrite(value) => format!("*guard = {value}"),
        Statement::DataAdd(value) => format!("r = *guard; *guard += {value}"),
        Statement::Wait(condvar) => format!("wait c{condvar}"),
        Statement::NotifyOne(condvar) => format!("notify_one c{condvar}"),
        Statement::NotifyAll(condvar) => format!("notify_all c{condvar}"),
        Statement::Load(x) => format!("r = x{x}.load()"),
        Statement::Store(x, value) => format!("x{x}.store({value})"),
        Statement::StoreLocal(x) => format!("x{x}.store(r)"),
        Statement::Add(x, value) => format!("r = x{x}.fetch_add({value})"),
        Statement::CompareExchange(x, old, new) => {
            format!("r = x{x}.compare_exchange({old}, {new})")
        }
        Statement::If(value, _) => format!("if r == {value} {{"),
        Statement::CellRead(cell) => format!("r = cell{cell}.get()"),
        Statement::CellWrite(cell, value) => format!("cell{cell}.set({value})"),
        Statement::ReadLock(lock, _) => format!("read rw{lock} into r {{"),
        Statement::WriteLock(lock, value, _) => format!("write {value} to rw{lock} {{"),
        Statement::TryReadLock(lock) => format!("try_read rw{lock} into r"),
        Statement::TryWriteLock(lock, value) => format!("try_write {value} to rw{lock}"),
        Statement::Send(value) => format!("send {value}"),
        Statement::TrySend(value) => format!("try_send {value}"),
        Statement::Receive => "r = recv".to_owned(),
        Statement::TryReceive => "r = try_recv".to_owned(),
        Statement::Park => "park".to_owned(),
        Statement::Unpark(task) => format!("unpark {}", name(*task)),
        Statement::PanicIf(value) => format!("panic if r == {value}"),
        Statement::Meet => "r = barrier".to_owned(),
        Statement::Ordered(orders, inner) => {
            format!("{:?}/{:?} {}", orders.success, orders.failure, head(inner))
        }
        Statement::Fence(order) => format!("fence {order:?}"),
    }
}
