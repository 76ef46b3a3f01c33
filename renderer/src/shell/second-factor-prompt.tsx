import { Box, Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Notice } from '../components/tone.tsx'
import type { Session } from '../session.ts'
import { words } from './words.ts'

/** For this window, until somebody else signs in. */
const LATER_AT = 'isthmus-second-factor-later'

/** Leads who manages the gateway by password alone to a second factor, until they put it off. */
export function SecondFactorPrompt({ session }: { session: Session }) {
  const userId = session.user?.userId ?? ''
  const [later, setLater] = useState(() => sessionStorage.getItem(LATER_AT))
  if (!session.needsSecondFactor || session.needsSetup || later === userId) return null
  const putOff = () => {
    sessionStorage.setItem(LATER_AT, userId)
    setLater(userId)
  }
  return (
    <Box px={24} pt={20}>
      <Notice
        tone="warning"
        title={words.factor.title}
        actions={
          <Group gap="xs" wrap="nowrap">
            <Button variant="subtle" size="xs" onClick={putOff}>
              {words.factor.later}
            </Button>
            <Button size="xs" renderRoot={(props) => <Link {...props} to="/account" />}>
              {words.factor.setUp}
            </Button>
          </Group>
        }
      >
        {words.factor.about}
      </Notice>
    </Box>
  )
}
