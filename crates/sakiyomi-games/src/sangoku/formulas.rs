//! What attacks and skills do, each in one function: whole numbers, rounded to nearest. They follow
//! the published combat formula of Sangokushi 11 at equal troops.

/// Damage of an attack: round(scale * r * m) with r = (A+50)^2 / ((A+50)^2 + (B+50)^2) for attack A
/// against defence B, and m = 1 + max(0, max(A,40)^2 - max(B,40)^2) / (300 * 75.3).
pub fn attack_damage(scale: u32, attack: u8, defence: u8) -> u32 {
    const RATIO: u64 = 22_590;
    let square = |x: u8| u64::from(x) * u64::from(x);
    let gain = square(attack.max(40)).saturating_sub(square(defence.max(40)));
    let (own, other) = (weight(attack), weight(defence));
    round(u64::from(scale) * own * (RATIO + gain), (own + other) * RATIO)
}

/// The damage of a piece with valour, whose attack does this damage otherwise.
pub fn with_valour(damage: u32) -> u32 {
    round(u64::from(damage) * 102, 100)
}

/// Damage of fire: round(scale * r) with both intellects in r.
pub fn fire_damage(scale: u32, intellect: u8, target_intellect: u8) -> u32 {
    let (own, other) = (weight(intellect), weight(target_intellect));
    round(u64::from(scale) * own, own + other)
}

/// The chance in percent that confusion works, from the intellects of user and target and the
/// target's defence. Every division drops its remainder.
pub fn confuse_percent(intellect: u8, target_intellect: u8, target_defence: u8) -> u32 {
    let [s, t, d] = [intellect, target_intellect, target_defence].map(i64::from);
    let ease = 3 * s / 10 - t / 5 + d / 20 + 70;
    let force = (100 - 9 * t / 10) * s * s * 100 / (s * s + t * t) / 45;
    let force = force - (100 - s) / 10 + d / 20 - (t - s).max(0) / 3;
    ease.min(force).clamp(1, 99) as u32
}

fn weight(value: u8) -> u64 {
    (u64::from(value) + 50).pow(2)
}

fn round(numerator: u64, denominator: u64) -> u32 {
    ((2 * numerator + denominator) / (2 * denominator)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_pinned() {
        for (attack, defence, damage) in
            [(50, 50, 600), (100, 50, 1107), (50, 100, 369), (7, 97, 157), (1, 1, 600)]
        {
            assert_eq!(attack_damage(1200, attack, defence), damage, "{attack} {defence}");
        }
        assert_eq!(attack_damage(1100, 50, 50), 550);
        assert_eq!(with_valour(600), 612);
        assert_eq!(with_valour(157), 160);
        assert_eq!(fire_damage(600, 50, 50), 300);
        assert_eq!(fire_damage(600, 100, 1), 538);
    }

    #[test]
    fn the_chance_of_confusion_is_pinned() {
        assert_eq!(confuse_percent(50, 50, 50), 58);
        assert_eq!(confuse_percent(100, 1, 100), 99);
        assert_eq!(confuse_percent(1, 100, 1), 1);
        // 18 - 12 + 1 + 70 by ease; 46 * 3600 * 100 / 7200 / 45 - 4 + 1 by force.
        assert_eq!(confuse_percent(60, 60, 29), 48);
    }

    /// More attack or less defence never does less damage.
    #[test]
    fn damage_is_monotonous() {
        for (a, b) in (1..100).flat_map(|a| (1..100).map(move |b| (a, b))) {
            assert!(attack_damage(1200, a, b) <= attack_damage(1200, a + 1, b));
            assert!(attack_damage(1200, a, b) >= attack_damage(1200, a, b + 1));
            assert!(fire_damage(600, a, b) <= fire_damage(600, a + 1, b));
        }
    }
}
