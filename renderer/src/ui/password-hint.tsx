import { Group } from '@mantine/core'
import { passwordStrength } from '../format/password-strength.ts'
import { ToneIcon } from './tone.tsx'

/**
 * What this window thinks of a new password: a hint. Whether it is taken the gateway says. `own`
 * are words a stranger would try first.
 */
export function PasswordStrength({ password, own }: { password: string; own: readonly string[] }) {
  if (password === '') return null
  const { tone, words } = passwordStrength(password, own)
  return (
    <Group gap={6} role="status" data-tone={tone} c="var(--tone-text)" fz="sm">
      <ToneIcon tone={tone} />
      {words}
    </Group>
  )
}
