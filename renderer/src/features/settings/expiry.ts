import type { Tone } from '../../format/tones.ts'

/**
 * Days before its end from which a certificate is to be renewed; the advice on the overview begins
 * then too.
 */
const WARNING_DAYS = 30

/** How pressing the end of a certificate is. */
export const expiryTone = (daysLeft: number): Tone =>
  daysLeft < 0 ? 'danger' : daysLeft < WARNING_DAYS ? 'warning' : 'plain'
