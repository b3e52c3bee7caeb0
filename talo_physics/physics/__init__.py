"""What happens to a tower: simulated as rigid bodies in PyBullet, with statics beside it."""
