#!/usr/bin/env python3
"""Golden values for libs/difficulty from independent implementations.

    pip install scipy==1.17.1 mpmath
    python3 libs/difficulty/golden/generate.py > libs/difficulty/golden/golden.json

pass@k: exact fractions of binomial coefficients (Python's own). ln B: mpmath at 50 digits (SciPy's loses
seven digits for very unequal shapes). The rest: SciPy (Boost.Math underneath).
"""
import json
import sys
from fractions import Fraction
from math import comb

import mpmath
import scipy
from scipy import optimize, special, stats

SHAPES = [0.05, 0.5, 1.0, 1.7, 2.0, 3.5, 9.0, 17.0, 65.3, 129.0, 1001.0, 25000.5, 1e6]
RATES = [1e-6, 0.01, 0.125, 0.3, 0.5, 0.625, 0.75, 0.9, 0.99, 1 - 1e-6]
MASSES = [1e-6, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-6]


def hdi(a, b, mass):
    """The narrowest interval, by a plain minimisation over the lower tail's mass."""
    width = lambda low: special.betaincinv(a, b, low + mass) - special.betaincinv(a, b, low)
    best = optimize.minimize_scalar(width, bounds=(0, 1 - mass), method="bounded", options={"xatol": 1e-12})
    return [float(special.betaincinv(a, b, best.x)), float(special.betaincinv(a, b, best.x + mass))]


def pass_at_k(n, c, k):
    return float(1 - Fraction(comb(n - c, k), comb(n, k)))


def log_beta(a, b):
    mpmath.mp.dps = 50
    return float(mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(mpmath.mpf(a) + b))


golden = {
    "scipy": scipy.__version__,
    "passAtK": [
        {"n": n, "c": c, "k": k, "value": pass_at_k(n, c, k)}
        for n in (1, 4, 8, 16, 100, 200)
        for c in sorted({0, 1, 2, n // 2, n - 1, n})
        if c <= n
        for k in (1, 2, 4, 8, 10, 100)
        if k <= n
    ],
    "incompleteBeta": [
        {"a": a, "b": b, "x": x, "lower": float(special.betainc(a, b, x)), "upper": float(special.betaincc(a, b, x))}
        for a in SHAPES
        for b in SHAPES
        for x in RATES
    ]
    # Where the mass is: a rate a few standard deviations around the mean.
    + [
        {
            "a": a,
            "b": b,
            "x": x,
            "lower": float(special.betainc(a, b, x)),
            "upper": float(special.betaincc(a, b, x)),
        }
        for a in SHAPES
        for b in SHAPES
        for z in (-3, -1, 0.5, 2)
        for x in [a / (a + b) + z * float(stats.beta.std(a, b))]
        if 0 < x < 1
    ],
    "quantile": [
        {"a": a, "b": b, "mass": mass, "value": float(special.betaincinv(a, b, mass))}
        for a in SHAPES
        for b in SHAPES
        for mass in MASSES
    ],
    "highestDensity": [
        {"a": a, "b": b, "mass": mass, "value": hdi(a, b, mass)}
        for a in (1.7, 2.0, 3.5, 9.0, 17.0, 65.3, 129.0, 1001.0)
        for b in (1.7, 2.0, 3.5, 9.0, 17.0, 65.3, 129.0, 1001.0)
        for mass in (0.5, 0.9, 0.95)
    ],
    "wilson": [
        {"c": c, "n": n, "value": [float(v) for v in stats.binomtest(c, n).proportion_ci(0.95, method="wilson")]}
        for n in (1, 4, 8, 16, 32, 100, 1000)
        for c in sorted({0, 1, n // 3, n // 2, n - 1, n})
    ],
    "logBeta": [{"a": a, "b": b, "value": log_beta(a, b)} for a in SHAPES for b in SHAPES],
}
lines = []
for name, value in golden.items():
    if isinstance(value, list):
        lines.append(f'  "{name}": [\n' + ",\n".join("    " + json.dumps(row) for row in value) + "\n  ]")
    else:
        lines.append(f'  "{name}": {json.dumps(value)}')
sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
