import { Stack } from '@mantine/core'
import { dashboardDictation } from '#shared/contract/dictation.ts'
import { useReply } from '../../api/queries.ts'
import { ConnectionTest } from './connection-test.tsx'
import { SecretForm } from './secret-form.tsx'

/** The secret of the speech engine, and a test of its connection. */
export function DictationPanel() {
  const state = useReply(dashboardDictation.state, {})
  return (
    <Stack gap="sm" mt="sm">
      {state.data && (
        <SecretForm
          texts="dictation"
          hasSecret={state.data.hasSecret}
          set={dashboardDictation.setSecret}
          refresh={dashboardDictation.state}
        />
      )}
      <ConnectionTest texts="dictation" operation={dashboardDictation.test} />
    </Stack>
  )
}
