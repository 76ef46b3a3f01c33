/** Plays a stack: image after image, waiting for those that are not there yet. */
export interface Cine {
  play(framesPerSecond: number): void
  stop(): void
}

export function openCine(of: {
  readonly isNextThere: () => boolean
  readonly next: () => void
}): Cine {
  let running: number | undefined
  const stop = () => {
    if (running !== undefined) cancelAnimationFrame(running)
    running = undefined
  }
  return {
    play(framesPerSecond) {
      stop()
      const step = 1000 / framesPerSecond
      let due = performance.now() + step
      const tick = (now: number) => {
        running = requestAnimationFrame(tick)
        if (now < due || !of.isNextThere()) return
        // After a wait it goes on from there, and does not make up for lost time.
        due = Math.max(due + step, now)
        of.next()
      }
      running = requestAnimationFrame(tick)
    },
    stop,
  }
}
