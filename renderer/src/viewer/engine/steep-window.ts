import type { ValueWindow } from '#shared/pixels/opening-window.ts'

/** The part of a value over which Cornerstone goes from black to white where it should jump. */
export const STEEP = 0.01

/**
 * A window of width 1 is a threshold (PS3.3 C.11.2.1.2.1), of which Cornerstone, whose ramp would
 * have no width, draws nothing. The value below the threshold stays black.
 */
export const steep = ({ center, width }: ValueWindow): ValueWindow =>
  width === 1 ? { center: center + STEEP / 2, width: 1 + STEEP } : { center, width }

/** The window of which `steep` made this one. */
export const unsteep = ({ center, width }: ValueWindow): ValueWindow =>
  Math.abs(width - 1 - STEEP) < STEEP / 2
    ? { center: Math.round((center - STEEP / 2) * 1000) / 1000, width: 1 }
    : { center, width }
