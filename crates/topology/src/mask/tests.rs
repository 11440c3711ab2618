use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[test]
fn list_syntax_is_the_kernels() {
    for (list, printed) in [
        ("", ""),
        ("\n", ""),
        ("0", "0"),
        ("0-3,8\n", "0-3,8"),
        (" 3,1-2 , 9", "1-3,9"),
        ("0-10:2/5", "0-1,5-6,10"),
    ] {
        assert_eq!(list.parse::<CpuMask>().unwrap().to_string(), printed, "{list:?}");
    }
}

#[test]
fn malformed_lists_name_the_item() {
    for (list, item) in [
        ("0-3,x", "x"),
        ("5-2", "5-2"),
        ("1-", "1-"),
        ("-1", "-1"),
        ("0-3:2", "0-3:2"),
        ("0-3:3/2", "0-3:3/2"),
        ("0-3:0/0", "0-3:0/0"),
        ("0-4294967295", "0-4294967295"),
    ] {
        assert_eq!(list.parse::<NodeMask>().unwrap_err().item, item);
    }
}

#[test]
fn equality_ignores_capacity() {
    let mut grown: CpuMask = [CpuId(1), CpuId(900)].into_iter().collect();
    grown.remove(CpuId(900));
    assert_eq!(grown, [CpuId(1)].into_iter().collect());
    assert_eq!(grown.last(), Some(CpuId(1)));
}

fn ids() -> impl Strategy<Value = BTreeSet<u32>> {
    prop::collection::btree_set(0..300u32, 0..40)
}

fn mask(ids: &BTreeSet<u32>) -> CpuMask {
    ids.iter().copied().map(CpuId).collect()
}

proptest! {
    #[test]
    fn printing_reads_back(ids in ids()) {
        let mask = mask(&ids);
        prop_assert_eq!(&mask.to_string().parse::<CpuMask>().unwrap(), &mask);
        let json = serde_json::to_string(&mask).unwrap();
        prop_assert_eq!(serde_json::from_str::<CpuMask>(&json).unwrap(), mask);
    }

    #[test]
    fn sets_behave_as_sets(a in ids(), b in ids()) {
        let (one, other) = (mask(&a), mask(&b));
        prop_assert_eq!(one.len(), a.len());
        prop_assert_eq!(one.union(&other), mask(&(&a | &b)));
        prop_assert_eq!(one.intersection(&other), mask(&(&a & &b)));
        prop_assert_eq!(one.difference(&other), mask(&(&a - &b)));
        prop_assert_eq!(one.is_subset(&other), a.is_subset(&b));
        prop_assert_eq!(one.first().map(|id| id.0), a.first().copied());
    }

    #[test]
    fn any_text_is_answered(text in "[0-9,:/ -]{0,20}|.{0,20}") {
        let _ = text.parse::<CpuMask>();
    }
}
