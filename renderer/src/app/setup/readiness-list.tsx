import { Button, Group, RingProgress, Stack, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import {
  dashboardSetup,
  type ReadinessCheck,
  type ReadinessFinding,
  type SetupStep,
  type Verdict,
} from '#shared/contract/dashboard-setup.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Findings } from '../../ui/findings.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import css from './setup.module.css'

const GROUPS: readonly Verdict[] = ['bad', 'warn', 'ok']
type CheckTarget =
  | { readonly step: SetupStep }
  | '/audit'
  | '/account'
  | '/settings'
  | '/settings/access'
  | '/devices'
  | '/partner'
  | '/people'
  | '/queries'
  | '/settings/backups'

/** Where each is mended. */
const CHECK_TARGETS: Partial<Record<ReadinessCheck, CheckTarget>> = {
  audit: '/audit',
  settings: '/settings',
  'second-factor': '/account',
  'recovery-key': { step: 'recovery' },
  'key-store': { step: 'recovery' },
  backup: { step: 'backup' },
  rehearsal: '/settings/backups',
  standby: '/settings/backups',
  disk: { step: 'network' },
  clock: { step: 'network' },
  dicom: '/settings',
  window: '/settings',
  'dicom-tls': '/settings',
  'lan-access': '/settings/access',
  device: { step: 'device' },
  'device-seen': { step: 'device' },
  'device-worklist': { step: 'device' },
  'unknown-devices': '/settings',
  partner: { step: 'partner' },
  'partner-events': { step: 'partner' },
  'public-url': '/settings',
  mail: '/people',
}

/** The score and everything that was looked at, what is to be mended first. */
export function ReadinessList() {
  const readiness = useReply(dashboardSetup.readiness, {}, { staleTime: 0 })
  if (readiness.isPending) return <LoadingPlaceholder rows={9} height={36} />
  if (readiness.isError)
    return <ErrorNotice error={readiness.error} onRetry={() => void readiness.refetch()} />
  const { ready, all, findings } = readiness.data
  const of = (verdict: Verdict) => findings.filter((found) => found.verdict === verdict)
  const [toMend, toThink] = [of('bad').length, of('warn').length]
  return (
    <Stack>
      <Panel>
        <div className={css.score}>
          <RingProgress
            size={92}
            thickness={9}
            roundCaps
            rootColor="var(--line)"
            sections={[
              {
                value: (ready / all) * 100,
                color: toMend > 0 ? 'red.7' : toThink > 0 ? 'yellow.7' : 'teal.7',
              },
            ]}
            label={
              <Text ta="center" fw={660} className="tabular">
                {ready}/{all}
              </Text>
            }
            aria-hidden
          />
          <div style={{ flex: 1, minWidth: 200 }}>
            <Title order={2}>{t('ui.setup.readiness.score', { ready, all })}</Title>
            <Text c="dimmed">
              {toMend + toThink === 0
                ? t('ui.setup.readiness.perfect')
                : [
                    toMend > 0 && t('ui.setup.readiness.toMend', { count: toMend }),
                    toThink > 0 && t('ui.setup.readiness.toThink', { count: toThink }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
            </Text>
          </div>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={readiness.isFetching}
            onClick={() => void readiness.refetch()}
          >
            {t('ui.setup.readiness.again')}
          </Button>
        </div>
      </Panel>
      {GROUPS.filter((verdict) => of(verdict).length > 0).map((verdict) => (
        <Panel key={verdict} isFlush title={t(`ui.setup.readiness.groups.${verdict}`)}>
          <Findings
            findings={of(verdict)}
            nameOf={({ check }) => t(`ui.setup.readiness.checks.${check}`)}
            more={Remedy}
          />
        </Panel>
      ))}
    </Stack>
  )
}

function Remedy({ check, verdict }: ReadinessFinding) {
  const place = CHECK_TARGETS[check]
  if (verdict === 'ok' || place === undefined) return null
  return (
    <Group mt={4}>
      {typeof place === 'string' ? (
        <Link to={place}>{t('ui.setup.readiness.go.mend')}</Link>
      ) : (
        <Link to="/setup" search={{ step: place.step }}>
          {t('ui.setup.readiness.go.mend')}
        </Link>
      )}
    </Group>
  )
}
