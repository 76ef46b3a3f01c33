import { Box, Button, Group } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import type { Session } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'

/** For this window, until somebody else signs in. */
const STORAGE_KEY = 'isthmus-second-factor-later'

/**
 * Whether the prompt is shown on Today; once it is put off, an item under Needs attention stays.
 */
export function useSecondFactorPrompt(session: Session | undefined) {
  const userId = session?.user?.userId ?? ''
  const [later, setLater] = useSessionStorage({
    ...{ key: STORAGE_KEY, defaultValue: '', getInitialValueInEffect: false },
    ...{ serialize: (text: string) => text, deserialize: (text: string | undefined) => text ?? '' },
  })
  const isShown = session?.needsSecondFactor === true && !session.needsSetup && later !== userId
  return { isShown, putOff: () => setLater(userId) }
}

/** Leads who manages the gateway by password alone to a second factor, until they put it off. */
export function SecondFactorPrompt({ session }: { session: Session }) {
  const { isShown, putOff } = useSecondFactorPrompt(session)
  if (!isShown) return null
  return (
    <Box px={24} pt={20}>
      <Notice
        tone="warning"
        title={t('ui.shell.factor.title')}
        actions={
          <Group gap="xs" wrap="nowrap">
            <Button variant="subtle" size="xs" onClick={putOff}>
              {t('ui.shell.factor.later')}
            </Button>
            <Button size="xs" renderRoot={(props) => <Link {...props} to="/account" />}>
              {t('ui.shell.factor.setUp')}
            </Button>
          </Group>
        }
      >
        {t('ui.shell.factor.about')}
      </Notice>
    </Box>
  )
}
