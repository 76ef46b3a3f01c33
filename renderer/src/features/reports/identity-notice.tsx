import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { useSend } from '../../api/queries.ts'
import { useMayManageStudies, useSession } from '../../api/session.ts'
import { linkedViewId } from '../../api/shared-study.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import { IdentityDifferences } from '../../ui/identity-differences.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import css from './reports.module.css'

/**
 * What the images differ in from what is to be reported. It cannot be closed: while it is a
 * mismatch nothing is signed, and once it was overridden the reason stays in view.
 */
export function IdentityNotice({ reading }: { reading: Reading }) {
  const { state, differences, override } = reading.identity
  if (state === 'overridden' && override) {
    return (
      <div className={css.identity}>
        <Notice
          tone="warning"
          title={t('ui.reports.identity.overridden', { name: override.name })}
          actions={<ImagesLink reading={reading} />}
        >
          <Clock instant={override.at} />: {override.reason}
          <details>
            <summary>{t('ui.reports.identity.show')}</summary>
            <IdentityDifferences differences={differences} />
          </details>
          {reading.reports.every(({ signedAt }) => signedAt === null || signedAt < override.at) && (
            <WithdrawOverrideButton reading={reading} />
          )}
        </Notice>
      </div>
    )
  }
  if (state !== 'mismatch') return null
  return (
    <div className={css.identity}>
      <Notice
        tone="danger"
        title={t('ui.reports.identity.mismatch')}
        actions={
          <Group gap={12}>
            <ImagesLink reading={reading} />
            <ResolveButton reading={reading} />
            <OverrideButton reading={reading} />
          </Group>
        }
      >
        <p className={css.identityText}>
          {reading.status === 'completed'
            ? t('ui.reports.identity.signedText')
            : t('ui.reports.identity.mismatchText')}
        </p>
        <IdentityDifferences differences={differences} />
      </Notice>
    </div>
  )
}

/** For who may correct the images; others compare them. */
function ResolveButton({ reading: { studyInstanceUid } }: { reading: Reading }) {
  const mayManage = useMayManageStudies()
  if (!mayManage) return null
  return (
    <Button
      size="compact-sm"
      renderRoot={(props) => (
        <Link to="/images/$studyInstanceUid/resolve" params={{ studyInstanceUid }} {...props} />
      )}
    >
      {t('ui.common.identity.resolve')}…
    </Button>
  )
}

/**
 * The rule for a report that was signed before its images were corrected, or others came or went.
 */
export function AddendumNotice({ reading }: { reading: Reading }) {
  const { imageChanges } = reading
  const [last] = imageChanges
  if (!last) return null
  const isOneKind = imageChanges.every(({ what }) => what === last.what)
  return (
    <div className={css.identity}>
      <Notice
        tone="danger"
        title={
          isOneKind
            ? t(`ui.reports.addendumNeeded.titles.${last.what}`)
            : t('ui.reports.addendumNeeded.severalTitle')
        }
        actions={<ImagesLink reading={reading} />}
      >
        {(isOneKind ? [last] : imageChanges).map(({ what, at }) => (
          <div key={`${what} ${at}`}>
            {t(`ui.reports.addendumNeeded.changes.${what}`)} <Clock instant={at} />
          </div>
        ))}
        {t('ui.reports.addendumNeeded.rule')}
      </Notice>
    </div>
  )
}

function ImagesLink({ reading: { studyInstanceUid } }: { reading: Reading }) {
  if (linkedViewId !== null) return null
  return (
    <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
      {t('ui.reports.identity.toImages')}
    </Link>
  )
}

/** What else shows the identity of a study. */
const CHANGES = [
  ...[dashboardReports.read, dashboardStudies.list, dashboardStudies.read],
  ...[dashboardImages.read, dashboardImages.list],
]

function WithdrawOverrideButton({ reading: { studyId } }: { reading: Reading }) {
  const maySign = useSession().data?.user?.canCreateReports === true
  const send = useSend(dashboardReports.withdrawOverride, CHANGES)
  if (!maySign) return null
  return (
    <div>
      <Button
        size="compact-sm"
        variant="default"
        mt={8}
        loading={send.isPending}
        onClick={() => send.mutate({ params: { studyId } })}
      >
        {t('ui.reports.identity.withdraw')}
      </Button>
      {send.error && <ErrorNotice error={send.error} />}
    </div>
  )
}

function OverrideButton({ reading: { studyId, identity } }: { reading: Reading }) {
  const [isAsking, setIsAsking] = useState(false)
  const maySign = useSession().data?.user?.canCreateReports === true
  const send = useSend(dashboardReports.overrideIdentity, CHANGES)
  if (linkedViewId !== null) return <span>{t('ui.reports.identity.mayNotByLink')}</span>
  if (!maySign) return <span>{t('ui.reports.identity.mayNot')}</span>
  return (
    <>
      <Button size="compact-sm" color="red" variant="outline" onClick={() => setIsAsking(true)}>
        {t('ui.reports.identity.override')}…
      </Button>
      {isAsking && (
        <ReasonDialog
          words={textsOf('ui.reports.identity.ask', 'title', 'action', 'label', 'about', 'example')}
          field="reason"
          isDanger
          isBusy={send.isPending}
          error={send.error}
          onClose={() => setIsAsking(false)}
          onSend={(reason, onError) =>
            send.mutate(
              { params: { studyId }, body: { reason, differences: identity.differences } },
              { onSuccess: () => setIsAsking(false), onError },
            )
          }
        >
          {t('ui.reports.identity.askText')}
          <IdentityDifferences differences={identity.differences} />
        </ReasonDialog>
      )}
    </>
  )
}
