"""A loop of JAX: what it logs is computed later, and read when it is there."""

import importlib.util
import unittest

import support

THERE = importlib.util.find_spec("jax") is not None


class Later:
    """What JAX shows of an array that is not computed yet."""

    size, waited = 1, 0

    def __init__(self, value):
        self.value, self.ready = value, False

    def copy_to_host_async(self):
        pass

    def is_ready(self):
        return self.ready

    def block_until_ready(self):
        Later.waited += 1
        self.ready = True

    def __float__(self):
        assert self.ready, "that would wait for the device"
        return self.value


class Arrays(support.Case):
    def test_are_read_when_they_are_computed(self):
        losses = [Later(i / 2) for i in range(6)]
        with self.start() as run:
            for i, loss in enumerate(losses):
                with run.step():
                    run.log(loss=loss)
                if i >= 2:
                    losses[i - 2].ready = True
            self.assertEqual(Later.waited, 0)
        self.assertLessEqual(Later.waited, 3, "only what was under way at the end is waited for")
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(self.read().steps.items())], [i / 2 for i in range(6)])

    @unittest.skipUnless(THERE, "jax is not installed")
    def test_training(self):
        import jax
        import jax.numpy as jnp

        @jax.jit
        def step(weights, batch):
            loss, gradient = jax.value_and_grad(lambda w: jnp.square(batch @ w - 1).mean())(weights)
            return weights - 0.1 * gradient, loss

        batches = [jax.random.normal(jax.random.key(i), (16, 8)) for i in range(12)]
        weights, expected = jnp.zeros(8), []
        run = self.start(config={"lr": 0.1})
        for batch in run.data(batches):
            with run.step():
                weights, loss = step(weights, batch)
                run.mark("compute")
                run.log(loss=loss, many=weights)
            expected.append(loss)
        run.finish()
        recording = self.read()
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(recording.steps.items())], [float(loss) for loss in expected])
        self.assertEqual(run.trouble["cannot"], 12, "the arrays of many numbers are counted")
        self.assertTrue(all({"phases.data", "phases.compute"} < set(cells) for cells in recording.steps.values()))


if __name__ == "__main__":
    unittest.main()
