import { SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core'
import { Panel } from '../components/page.tsx'
import { LanguageChoice } from '../sign-in/language-choice.tsx'
import css from './account.module.css'
import { words } from './words.ts'

const SCHEMES = ['light', 'dark', 'auto'] as const

/** What is chosen for this PC, not for the account. */
export function ThisWindow() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Panel title={words.window}>
      <Stack>
        <div className={css.row}>
          <Text fw={500}>{words.language}</Text>
          <LanguageChoice size="sm" />
        </div>
        <Text size="sm" c="dimmed" mt={-8}>
          {words.languageAbout}
        </Text>
        <div className={css.row}>
          <Text fw={500}>{words.colours}</Text>
          <SegmentedControl
            size="sm"
            aria-label={words.colours}
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as (typeof SCHEMES)[number])}
            data={SCHEMES.map((scheme) => ({ value: scheme, label: words.schemes[scheme] }))}
          />
        </div>
      </Stack>
    </Panel>
  )
}
