def test_cas(check_arm64):
    check_arm64("cas.S", "compare_exchange", order="acq_rel")
