import { SegmentedControl } from '@mantine/core'
import { chooseLanguage, LANGUAGES, type Language, language } from '../language/language.ts'
import { words } from './words.ts'

const CHOICES = Object.entries(LANGUAGES).map(([value, name]) => ({
  value,
  label: <span lang={value}>{name}</span>,
}))

/** The language of the window on this PC; each is named in itself. */
export function LanguageChoice({ size = 'xs' }: { size?: 'xs' | 'sm' }) {
  return (
    <SegmentedControl
      size={size}
      aria-label={words.language}
      data={CHOICES}
      value={language}
      onChange={(next) => chooseLanguage(next as Language)}
    />
  )
}
