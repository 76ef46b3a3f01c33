/**
 * How something stands. Every tone has its own colour and its own icon shape, so that neither is
 * needed to tell them apart.
 */
export const TONES = ['plain', 'info', 'good', 'warning', 'danger'] as const
export type Tone = (typeof TONES)[number]
