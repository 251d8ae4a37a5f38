//! The two runtimes, where they differ in a line: under control, and on tokio.

use crate::faults::Injector;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use unpick::thread::{self, Thread};

/// Where the actors of a system run.
#[derive(Clone)]
pub(crate) enum Runtime {
    /// In an exploration, with its faults.
    Controlled(Arc<Injector>),
    /// On tokio.
    #[cfg(feature = "tokio")]
    Production(tokio::runtime::Handle),
}

impl Runtime {
    /// The one that the caller is in.
    pub fn current() -> Option<Runtime> {
        if unpick::is_exploring() {
            return Some(Runtime::Controlled(Arc::default()));
        }
        #[cfg(feature = "tokio")]
        return tokio::runtime::Handle::try_current()
            .ok()
            .map(Runtime::Production);
        #[cfg(not(feature = "tokio"))]
        None
    }

    /// Who injects faults, if there are any.
    pub fn injector(&self) -> Option<&Injector> {
        match self {
            Runtime::Controlled(injector) => injector.has_begun().then_some(injector),
            #[cfg(feature = "tokio")]
            Runtime::Production(_) => None,
        }
    }

    /// Does something later: under control at any time.
    #[track_caller]
    pub fn later(&self, name: &str, delay: Duration, act: impl FnOnce() + Send + 'static) {
        match self {
            Runtime::Controlled(_) => {
                let timer = thread::Builder::new().name(format!("timer of {name}"));
                let task = timer.spawn(move || {
                    thread::sleep(delay);
                    act();
                });
                task.expect("a task can be created");
            }
            #[cfg(feature = "tokio")]
            Runtime::Production(tokio) => {
                tokio.spawn(async move {
                    tokio::time::sleep(delay).await;
                    act();
                });
            }
        }
    }

    pub async fn sleep(&self, duration: Duration) {
        match self {
            Runtime::Controlled(_) => thread::sleep(duration),
            #[cfg(feature = "tokio")]
            Runtime::Production(_) => tokio::time::sleep(duration).await,
        }
    }
}

/// The end of an actor, to wait for.
pub(crate) enum End {
    /// Its task, once that was created.
    Controlled(OnceLock<Thread>),
    /// Closed at its end.
    #[cfg(feature = "tokio")]
    Production(tokio::sync::Semaphore),
}

impl End {
    /// Tells which task it is.
    pub fn set_task(&self, task: &Thread) {
        match self {
            End::Controlled(known) => {
                known.get_or_init(|| task.clone());
            }
            #[cfg(feature = "tokio")]
            End::Production(_) => panic!("internal error: a task under control in production"),
        }
    }

    pub async fn wait(&self) {
        match self {
            End::Controlled(task) => {
                if let Some(task) = task.get() {
                    task.wait_for_end();
                }
            }
            #[cfg(feature = "tokio")]
            End::Production(ended) => {
                // There never is a permit: it ends by being closed.
                let _ = ended.acquire().await;
            }
        }
    }
}
