// Turns of the wheel on the canvas of a page by Cornerstone, for the benchmarks of the viewer.

/**
 * Which way a turn of the wheel made by a script leads to the next image: pages read different
 * members of the event. @param {string} on selects the canvas
 */
export async function forwardOf(page, on) {
  await page.bringToFront()
  for (const by of [100, -100]) {
    if ((await page.evaluate(scrollThrough, { steps: 1, by, on })) < 0.6) continue
    await page.evaluate(scrollThrough, { steps: 1, by: -by, on })
    return by
  }
  throw new Error('The wheel does not scroll.')
}

/** In the page: images a second, where each turn waits until its image is drawn. */
export async function scrollThrough({ steps, by, on }) {
  const PATIENCE_MS = 2000
  const target = document.querySelector(on)
  const drawn = () =>
    new Promise((resolve) => {
      const timer = setTimeout(done, PATIENCE_MS)
      function done() {
        clearTimeout(timer)
        document.removeEventListener('CORNERSTONE_IMAGE_RENDERED', done, true)
        resolve()
      }
      document.addEventListener('CORNERSTONE_IMAGE_RENDERED', done, true)
    })
  const began = performance.now()
  for (let step = 0; step < steps; step++) {
    const next = drawn()
    const { left, top } = target.getBoundingClientRect()
    target.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY: by,
        bubbles: true,
        cancelable: true,
        clientX: left + 50,
        clientY: top + 50,
      }),
    )
    await next
  }
  return (1000 * steps) / (performance.now() - began)
}
