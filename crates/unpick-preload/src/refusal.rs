//! What is not modelled, refused by name: never silently wrong.

use crate::interpose::interpose;
use crate::real;
use crate::runtime::{refuse, running};
use core::ffi::c_int;
use unpick_protocol::TroubleKind;

/// Functions of whatever arguments that are refused in an execution and left alone elsewhere.
macro_rules! refused {
    ($($name:ident)*) => {
        $(const _: () = {
            extern "C" fn gate(pc: usize) -> usize {
                if running().is_some() {
                    refuse(TroubleKind::Unmodelled, stringify!($name), pc);
                }
                real::$name() as *const () as usize
            }

            // SAFETY: leaves all arguments as they are and goes on in the real function.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                core::arch::naked_asm!(
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "push rax",
                    "mov rdi, [rsp + 56]",
                    "call {gate}",
                    "mov r11, rax",
                    "pop rax",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "jmp r11",
                    gate = sym gate,
                )
            }
        };)*
    };
}

refused! {
    fork vfork clone posix_spawn posix_spawnp system popen daemon
    execve execv execvp execvpe execl execlp execle fexecve execveat
    pthread_cancel sem_open ptrace
    alarm ualarm setitimer timer_create timerfd_create
    sigqueue pthread_sigqueue signalfd killpg tgkill
    sigset sighold sigrelse sigignore sigpause __sigpause __xpg_sigpause sigblock sigsetmask siggetmask
    GOMP_parallel_reductions GOMP_loop_start GOMP_loop_ordered_start GOMP_loop_ordered_static_start
    GOMP_loop_ordered_dynamic_start GOMP_loop_ordered_guided_start GOMP_loop_ordered_runtime_start
    GOMP_loop_static_start GOMP_loop_ull_ordered_static_start GOMP_loop_ull_ordered_dynamic_start
    GOMP_loop_ull_ordered_guided_start GOMP_loop_ull_ordered_runtime_start GOMP_loop_doacross_start
    GOMP_loop_doacross_static_start GOMP_loop_doacross_dynamic_start GOMP_loop_doacross_guided_start
    GOMP_loop_doacross_runtime_start GOMP_loop_ull_start GOMP_loop_ull_ordered_start
    GOMP_loop_ull_doacross_start GOMP_sections2_start GOMP_taskloop GOMP_taskloop_ull
    GOMP_taskwait_depend GOMP_taskgroup_reduction_register GOMP_cancel GOMP_cancellation_point
    GOMP_barrier_cancel GOMP_teams_reg
}

/// Refuses an attribute of objects if it has the value that is not modelled.
macro_rules! refused_values {
    ($($name:ident $value:literal;)*) => {
        interpose! {
            $(fn $name(attributes: *mut core::ffi::c_void, value: c_int; pc) -> c_int {
                if running().is_some() && value == $value {
                    refuse(TroubleKind::Unmodelled, stringify!($name), pc);
                }
                real::$name()(attributes, value)
            })*
        }
    };
}

refused_values! {
    pthread_mutexattr_setpshared 1;
    pthread_condattr_setpshared 1;
    pthread_rwlockattr_setpshared 1;
    pthread_barrierattr_setpshared 1;
    pthread_mutexattr_setrobust 1;
}

/// The name of a system call that is refused, also if it comes through `syscall`.
pub fn refused_call(number: i64) -> Option<&'static str> {
    match number {
        libc::SYS_fork => Some("fork"),
        libc::SYS_vfork => Some("vfork"),
        libc::SYS_clone | libc::SYS_clone3 => Some("clone"),
        libc::SYS_execve | libc::SYS_execveat => Some("execve"),
        libc::SYS_ptrace => Some("ptrace"),
        libc::SYS_tkill | libc::SYS_tgkill => Some("tgkill"),
        libc::SYS_alarm | libc::SYS_setitimer | libc::SYS_timer_create => Some("a timer"),
        _ => None,
    }
}
