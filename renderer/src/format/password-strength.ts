import { t } from '../i18n/t.ts'

interface PasswordStrength {
  readonly tone: 'danger' | 'warning' | 'good'
  readonly words: string
}

const COMMON_PASSWORDS = [
  'password',
  'passwort',
  'qwerty',
  'azerty',
  '123456',
  'letmein',
  'welcome',
  'isthmus',
  'radiology',
  'hospital',
  'clinic',
  'admin',
]

/**
 * Words about a new password. Length counts most (NIST SP 800-63B); the person's own words and
 * well-known ones do not count at all.
 * @param own name, e-mail, clinic: what a stranger would try first
 */
export function passwordStrength(password: string, own: readonly string[] = []): PasswordStrength {
  if (password.length < 10)
    return {
      tone: 'danger',
      words: t('ui.format.password.short', { missing: 10 - password.length }),
    }
  const folded = password.toLowerCase()
  const known = [
    ...COMMON_PASSWORDS,
    ...own.flatMap((text) => text.toLowerCase().split(/[\s@.^]+/)),
  ].filter((word) => word.length > 3)
  const left = known.reduce((text, word) => text.replaceAll(word, ''), folded)
  const distinct = new Set(left).size
  if (left.length < 6 || distinct < 5)
    return { tone: 'danger', words: t('ui.format.password.guessable') }
  if (left.length < 12 || distinct < 8)
    return { tone: 'warning', words: t('ui.format.password.fair') }
  return { tone: 'good', words: t('ui.format.password.strong') }
}
