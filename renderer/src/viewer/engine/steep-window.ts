import type { ValueWindow } from '#shared/pixels/opening-window.ts'

/** The part of a value over which Cornerstone goes from black to white where it should jump. */
export const STEP_WIDTH = 0.01

/**
 * A window of width 1 is a threshold (PS3.3 C.11.2.1.2.1), of which Cornerstone, whose ramp would
 * have no width, draws nothing. The value below the threshold stays black.
 */
export const steepenedWindow = ({ center, width }: ValueWindow): ValueWindow =>
  width === 1 ? { center: center + STEP_WIDTH / 2, width: 1 + STEP_WIDTH } : { center, width }

/** The window of which `steep` made this one. */
export const unsteepenedWindow = ({ center, width }: ValueWindow): ValueWindow =>
  Math.abs(width - 1 - STEP_WIDTH) < STEP_WIDTH / 2
    ? { center: Math.round((center - STEP_WIDTH / 2) * 1000) / 1000, width: 1 }
    : { center, width }
