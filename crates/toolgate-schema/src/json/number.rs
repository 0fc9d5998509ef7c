//! What numbers mean: comparison by value, integers, negative zero (rule S6).
//!
//! Called by comparison, the checker and the validator. It never converts through a type that loses digits.

use serde_json::Number;

/// Two to the power of 64: the first integer beyond `u64`.
const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
/// Minus two to the power of 63: the least `i64`.
const MINUS_TWO_POW_63: f64 = -9_223_372_036_854_775_808.0;

/// A number in a form in which equal values are equal keys, whichever way they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NumberKey {
    /// A number without a fraction in the range of `i64` and `u64`.
    Integer(i128),
    /// Any other number, as the bits of the double.
    Double(u64),
}

impl NumberKey {
    /// The key of a number.
    pub(crate) fn of(number: &Number) -> Self {
        if let Some(integer) = number.as_u64() {
            return Self::Integer(i128::from(integer));
        }
        if let Some(integer) = number.as_i64() {
            return Self::Integer(i128::from(integer));
        }
        let double = number.as_f64().unwrap_or(f64::NAN);
        integer_of(double).map_or_else(|| Self::Double(double.to_bits()), Self::Integer)
    }
}

/// The integer that a double is, if it is one in the range of `i64` and `u64`.
pub(crate) fn integer_of(double: f64) -> Option<i128> {
    let in_range = (MINUS_TWO_POW_63..TWO_POW_64).contains(&double);
    // The cast is exact: the double has no fraction and is in range.
    (in_range && double.fract() == 0.0).then_some(double as i128)
}

/// Whether two numbers have the same value; `1` equals `1.0`, and no integer loses digits on the way.
pub(crate) fn numbers_equal(left: &Number, right: &Number) -> bool {
    left == right || NumberKey::of(left) == NumberKey::of(right)
}

/// Whether a number has no fraction and is lossless; `1.0` and `1e30` are integers.
pub(crate) fn is_integer(number: &Number) -> bool {
    if !number.is_f64() {
        return true;
    }
    number
        .as_f64()
        .is_some_and(|double| double.fract() == 0.0 && !(double == 0.0 && double.is_sign_negative()))
}

/// Whether a number is negative zero, the one number that JSON readers do not agree on.
pub(crate) fn is_negative_zero(number: &Number) -> bool {
    number.is_f64() && number.as_f64().is_some_and(|double| double == 0.0 && double.is_sign_negative())
}
