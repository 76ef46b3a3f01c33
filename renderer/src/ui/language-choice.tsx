import { SegmentedControl } from '@mantine/core'
import { chooseLanguage, LANGUAGES, type Language, language } from '../i18n/language.ts'
import { t } from '../i18n/t.ts'

const CHOICES = Object.entries(LANGUAGES).map(([value, name]) => ({
  value,
  label: <span lang={value}>{name}</span>,
}))

/** The language of the window on this PC; each is named in itself. */
export function LanguageChoice({ size = 'xs' }: { size?: 'xs' | 'sm' }) {
  return (
    <SegmentedControl
      size={size}
      aria-label={t('ui.sign-in.language')}
      data={CHOICES}
      value={language}
      onChange={(next) => chooseLanguage(next as Language)}
    />
  )
}
