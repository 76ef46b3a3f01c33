import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { SecondFactorSetUp } from './second-factor-set-up.tsx'

const LOW_CODE_COUNT = 3

/** Whether an authenticator is asked for, and setting it up or turning it off. */
export function SecondFactorPanel() {
  const account = useReply(dashboardSecurity.account, {})
  const [open, setOpen] = useState<'none' | 'setUp' | 'end'>('none')
  const close = () => setOpen('none')
  const factor = account.data?.secondFactor
  return (
    <Panel title={t('ui.account.second.title')}>
      {account.isPending && <LoadingPlaceholder rows={2} />}
      {factor && (
        <Stack>
          <div>
            <Tag tone={factor.isOn ? 'good' : 'plain'} isWrapped>
              {factor.isOn ? t('ui.account.second.on') : t('ui.account.second.off')}
            </Tag>
          </div>
          {factor.isOn && factor.since !== null && (
            <FactList
              facts={[[t('ui.account.second.since'), <Clock key="since" instant={factor.since} />]]}
            />
          )}
          {factor.isOn && (
            <Tag tone={factor.codesLeft < LOW_CODE_COUNT ? 'warning' : 'plain'} isWrapped>
              {t('ui.account.second.left', { count: factor.codesLeft })}
            </Tag>
          )}
          <Group>
            <Button variant="default" onClick={() => setOpen('setUp')}>
              {factor.isOn ? t('ui.account.second.renew') : t('ui.account.second.setUp')}
            </Button>
            {factor.isOn && (
              <Button variant="subtle" color="red" onClick={() => setOpen('end')}>
                {t('ui.account.second.end')}
              </Button>
            )}
          </Group>
        </Stack>
      )}
      {open === 'setUp' && <SecondFactorSetUp onClose={close} />}
      {open === 'end' && <TwoFactorRemoval onClose={close} />}
    </Panel>
  )
}

function TwoFactorRemoval({ onClose }: { onClose: () => void }) {
  const end = useSend(dashboardSecurity.endSecondFactor, [
    dashboardSecurity.account,
    dashboard.session,
  ])
  const { form, submit } = useContractForm({
    operation: dashboardSecurity.endSecondFactor,
    initialValues: { password: '' },
    bodyOf: (values) => values,
    send(body, onError) {
      const onSuccess = () => {
        showDone(t('ui.account.second.turnedOff'))
        onClose()
      }
      end.mutate({ body }, { onSuccess, onError })
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('ui.account.second.endTitle')}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{t('ui.account.second.endText')}</Text>
          {end.error && end.error.errors.length === 0 && <ErrorNotice error={end.error} />}
          <PasswordInput
            label={t('ui.account.second.confirmPassword')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('ui.account.cancel')}
            </Button>
            <Button type="submit" color="red" loading={end.isPending}>
              {t('ui.account.second.end')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
