import { Text } from '@mantine/core'
import { IconUserEdit } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ImageStudy } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { Clock } from '../../ui/clock.tsx'
import { IdentityDifferences } from '../../ui/identity-differences.tsx'
import { FactList, Panel } from '../../ui/page.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './images.module.css'

/** What the images say beside what was expected, and what that means for the report. */
export function IdentityPanel({ study }: { study: ImageStudy }) {
  const { studyInstanceUid, identityCheck } = study
  const { state, differences, override } = identityCheck
  if (differences.length === 0 || state === 'unverified') return null
  const tone =
    state === 'mismatch'
      ? 'danger'
      : state === 'matched' || state === 'resolved'
        ? 'plain'
        : 'warning'
  return (
    <div data-tone={tone}>
      <Panel
        className={tone === 'plain' ? undefined : css.mismatch}
        title={t(`ui.images.identity.titles.${state}`)}
        aside={<ToneIcon tone={tone} size={19} />}
      >
        <Text size="sm" maw="86ch" mb={12}>
          {t(`ui.images.identity.abouts.${state}`)}{' '}
          {state === 'mismatch' && <ReportLink studyInstanceUid={studyInstanceUid} />}
        </Text>
        {override && (
          <FactList
            facts={[
              [
                t('ui.images.identity.overriddenBy'),
                <span key="by">
                  {override.name}, <Clock instant={override.at} />
                </span>,
              ],
              [t('ui.images.identity.reason'), override.reason],
            ]}
          />
        )}
        <IdentityDifferences differences={differences} />
        {(state === 'mismatch' || state === 'overridden') && study.instances > 0 && (
          <ResolveButton studyInstanceUid={studyInstanceUid} isUrgent={state === 'mismatch'} />
        )}
      </Panel>
    </div>
  )
}

function ResolveButton({
  studyInstanceUid,
  isUrgent,
}: {
  studyInstanceUid: string
  isUrgent: boolean
}) {
  const navigate = useNavigate()
  return (
    <PermissionButton
      permission="manageStudies"
      mt={14}
      {...(!isUrgent && { variant: 'default' })}
      leftSection={<IconUserEdit size={16} />}
      onClick={() =>
        void navigate({ to: '/images/$studyInstanceUid/resolve', params: { studyInstanceUid } })
      }
    >
      {t('ui.common.identity.resolve')}…
    </PermissionButton>
  )
}

function ReportLink({ studyInstanceUid }: { studyInstanceUid: string }) {
  const studyId = useReply(
    dashboardReports.byUid,
    { params: { studyInstanceUid } },
    { staleTime: 60_000 },
  ).data?.studyId
  if (!studyId) return null
  return (
    <Link to="/reading/$studyId" params={{ studyId }}>
      {t('ui.images.identity.toReport')}
    </Link>
  )
}
