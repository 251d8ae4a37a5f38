//! Bodies with a right checksum, as docs/trace-format.md says they are made.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes of the body of a file.
pub fn body_of(text: &str) -> Vec<u8> {
    let encoded = text.split("\nbody: ").nth(1).unwrap();
    let encoded = encoded.split_once('\n').unwrap().1;
    let digits: Vec<u32> = encoded
        .bytes()
        .filter_map(|byte| ALPHABET.iter().position(|&letter| letter == byte))
        .map(|digit| digit as u32)
        .collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let word = (0..4).fold(0, |word, at| word << 6 | group.get(at).unwrap_or(&0));
        let [_, first, second, third] = word.to_be_bytes();
        bytes.extend(&[first, second, third][..group.len() - 1]);
    }
    bytes
}

/// The file with another body.
pub fn with_body(text: &str, body: &[u8]) -> String {
    let head = format!("{}\n", text.split("\nbody: ").next().unwrap());
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for byte in head.bytes().chain(body.iter().copied()) {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let mut encoded = String::new();
    for group in body.chunks(3) {
        let mut word = [0; 4];
        word[1..=group.len()].copy_from_slice(group);
        let word = u32::from_be_bytes(word);
        for position in 0..=group.len() {
            let digit = (word >> (18 - 6 * position)) & 63;
            encoded.push(char::from(ALPHABET[digit as usize]));
        }
    }
    format!("{head}body: {sum:016x} {}\n{encoded}\n", body.len())
}

#[test]
fn a_body_comes_back_as_it_was() {
    let text = include_str!("../files/native_list_insert.txt");
    let body = body_of(text);
    let again = with_body(text, &body);
    assert_eq!(unpick::trace::decode(&again), unpick::trace::decode(text));
    assert!(unpick::trace::decode(&again).is_ok());
}
