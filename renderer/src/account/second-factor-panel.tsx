import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { faultsByField } from '../client.ts'
import { Clock } from '../components/clock.tsx'
import { Facts, Failed, Panel, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { useReply, useSend } from '../gateway.ts'
import { SecondFactorSetUp } from './second-factor-set-up.tsx'
import { words } from './words.ts'

const FEW_CODES = 3

/** Whether an authenticator is asked for, and setting it up or turning it off. */
export function SecondFactorPanel() {
  const account = useReply(dashboardSecurity.account, {})
  const [open, setOpen] = useState<'none' | 'setUp' | 'end'>('none')
  const close = () => setOpen('none')
  const factor = account.data?.secondFactor
  return (
    <Panel title={words.second.title}>
      {account.isPending && <Waiting rows={2} />}
      {factor && (
        <Stack>
          <div>
            <Tag tone={factor.isOn ? 'good' : 'plain'} isWrapped>
              {factor.isOn ? words.second.on : words.second.off}
            </Tag>
          </div>
          {factor.isOn && factor.since !== null && (
            <Facts facts={[[words.second.since, <Clock key="since" instant={factor.since} />]]} />
          )}
          {factor.isOn && (
            <Tag tone={factor.codesLeft < FEW_CODES ? 'warning' : 'plain'} isWrapped>
              {words.second.left(factor.codesLeft)}
            </Tag>
          )}
          <Group>
            <Button variant="default" onClick={() => setOpen('setUp')}>
              {factor.isOn ? words.second.renew : words.second.setUp}
            </Button>
            {factor.isOn && (
              <Button variant="subtle" color="red" onClick={() => setOpen('end')}>
                {words.second.end}
              </Button>
            )}
          </Group>
        </Stack>
      )}
      {open === 'setUp' && <SecondFactorSetUp onClose={close} />}
      {open === 'end' && <End onClose={close} />}
    </Panel>
  )
}

function End({ onClose }: { onClose: () => void }) {
  const end = useSend(dashboardSecurity.endSecondFactor, [
    dashboardSecurity.account,
    dashboard.session,
  ])
  const form = useForm({ initialValues: { password: '' } })
  const submit = form.onSubmit((body) =>
    end.mutate(
      { body },
      {
        onSuccess: () => {
          showDone(words.second.turnedOff)
          onClose()
        },
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    ),
  )
  return (
    <Modal opened onClose={onClose} title={words.second.endTitle}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{words.second.endText}</Text>
          {end.error && end.error.errors.length === 0 && <Failed error={end.error} />}
          <PasswordInput
            label={words.second.confirmPassword}
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.cancel}
            </Button>
            <Button type="submit" color="red" loading={end.isPending}>
              {words.second.end}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
