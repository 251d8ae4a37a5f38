//! Sizes that blocks may have: steps of 16 bytes up to 1 KiB, then eight a doubling.

/// What all addresses and sizes are multiples of.
pub const UNIT_BYTES: usize = 16;

const FINE_BYTES_MAX: usize = 1024;
const FINE_COUNT: usize = FINE_BYTES_MAX / UNIT_BYTES;
const FINE_BITS: u32 = FINE_BYTES_MAX.trailing_zeros();
const STEPS_BITS: u32 = 3;

/// The largest block: a region has at most 64 GiB.
pub const BLOCK_BYTES_MAX: usize = 1 << 36;

/// How many sizes there are.
pub const CLASS_COUNT: usize =
    FINE_COUNT + ((BLOCK_BYTES_MAX.trailing_zeros() - FINE_BITS) << STEPS_BITS) as usize;

/// The smallest class whose blocks have at least `size` bytes; nothing if there is none.
pub fn class_of(size: usize) -> Option<usize> {
    if size > BLOCK_BYTES_MAX {
        return None;
    }
    let last = size.max(1) - 1;
    if last < FINE_BYTES_MAX {
        return Some(last / UNIT_BYTES);
    }
    let top = last.ilog2();
    let step = (last >> (top - STEPS_BITS)) & ((1 << STEPS_BITS) - 1);
    Some(FINE_COUNT + ((top - FINE_BITS) << STEPS_BITS) as usize + step)
}

/// How many bytes the blocks of a class have.
pub fn bytes_of(class: usize) -> usize {
    if class < FINE_COUNT {
        return (class + 1) * UNIT_BYTES;
    }
    let beyond = class - FINE_COUNT;
    let step = beyond & ((1 << STEPS_BITS) - 1);
    let doubling = beyond >> STEPS_BITS;
    ((1 << STEPS_BITS) + step + 1) << (doubling + (FINE_BITS - STEPS_BITS) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_grow_by_an_eighth_at_most() {
        for class in 1..CLASS_COUNT {
            let (smaller, larger) = (bytes_of(class - 1), bytes_of(class));
            assert!(smaller < larger && larger.is_multiple_of(UNIT_BYTES));
            assert!(larger - smaller <= (smaller / 8).max(UNIT_BYTES));
        }
        assert_eq!(bytes_of(CLASS_COUNT - 1), BLOCK_BYTES_MAX);
    }

    #[test]
    fn a_size_gets_the_smallest_class_that_holds_it() {
        for class in 0..CLASS_COUNT {
            let bytes = bytes_of(class);
            assert_eq!(class_of(bytes), Some(class));
            assert_eq!(class_of(bytes - 1), Some(class));
            let next = (class + 1 < CLASS_COUNT).then_some(class + 1);
            assert_eq!(class_of(bytes + 1), next);
        }
        assert_eq!(class_of(0), Some(0));
        assert_eq!(class_of(usize::MAX), None);
    }
}
