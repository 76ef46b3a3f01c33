/**
 * A button that gives something up, beside the one that does not. Mantine's subtle red is all but
 * white in the dark.
 */
export const SUBTLE_DANGER = {
  variant: 'subtle',
  color: 'red',
  c: 'var(--tone-danger-text)',
} as const
