import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { useSend } from '../../api/queries.ts'
import { useMayManage } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../../ui/allowed.tsx'
import { EraseDialog } from '../../ui/erase-dialog.tsx'
import { showRefusal } from '../../ui/refused.ts'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { AssignDialog } from '../../ui/study-list/assign-dialog.tsx'
import { AssignMenu } from '../../ui/study-list/assign-menu.tsx'
import { canBeAssigned, useStudyActions } from '../../ui/study-list/use-study-actions.ts'
import { LIST_CHANGES } from '../../ui/study-list/use-study-list.ts'
import { LinkDialog, NewLinkDialog } from './link-dialog.tsx'
import { SeverityDialog } from './severity-dialog.tsx'
import { StudyForm } from './study-form.tsx'
import { useDetails } from './use-details.ts'

/** What can be done with a study. What one may not do is there, and says who can allow it. */
export function StudyActions(props: {
  study: WindowStudy
  renew?: (studies: readonly WindowStudy[]) => void
  isSmall?: boolean
}) {
  const { study, renew, isSmall = false } = props
  const { change, refresh } = useStudyActions(renew)
  const details = useDetails(study)
  const [asking, setAsking] = useState<'assign' | 'severity' | 'edit' | 'link' | 'erase' | null>(
    null,
  )
  const close = () => setAsking(null)
  const size = isSmall ? ('compact-sm' as const) : ('xs' as const)
  const { area, isCancelled, status } = study
  const manageButtonProps = { permission: 'manageStudies', size, variant: 'default' } as const
  const { may: mayAssign } = usePermission('manageStudies')
  // A link to a study for viewing has nothing to choose.
  const [url, setUrl] = useState<string | null>(null)
  const createViewerLink = useSend(viewer.rerouteUrl, LIST_CHANGES)
  const makeLink = () => {
    if (area === 'scribe') return setAsking('link')
    createViewerLink.mutate(
      { body: { studyId: study.studyId } },
      { onSuccess: (made) => setUrl(made.url), onError: (error) => showRefusal(error.message) },
    )
  }
  // The page of its images offers this for a study that has any.
  const isErasable = useMayManage() && !isSmall && study.images === null
  const isAssignable = !isSmall && mayAssign && canBeAssigned(study)
  useShortcuts(
    t('ui.studies.title'),
    isAssignable
      ? [
          {
            keys: 'shift+a',
            name: t('ui.study-list.keyNames.assignTo'),
            run: () => setAsking('assign'),
          },
        ]
      : [],
  )
  return (
    <Group gap={6}>
      <AssignMenu study={study} fixed={null} />
      <PermissionButton {...manageButtonProps} onClick={() => setAsking('severity')}>
        {t('ui.studies.actions.severity')}
      </PermissionButton>
      {area === 'viewer' && (
        <PermissionButton
          {...manageButtonProps}
          onClick={() =>
            change(study, { kind: 'status', to: status === 'complete' ? 'incomplete' : 'complete' })
          }
        >
          {status === 'complete'
            ? t('ui.studies.actions.incomplete')
            : t('ui.studies.actions.complete')}
        </PermissionButton>
      )}
      <PermissionButton
        {...manageButtonProps}
        disabled={details === undefined}
        onClick={() => setAsking('edit')}
      >
        {t('ui.studies.actions.edit')}
      </PermissionButton>
      {!isSmall && (
        <PermissionButton
          {...manageButtonProps}
          permission="readStudies"
          disabled={isCancelled}
          loading={createViewerLink.isPending}
          onClick={makeLink}
        >
          {area === 'scribe' ? t('ui.studies.actions.link') : t('ui.studies.link.make')}
        </PermissionButton>
      )}
      <PermissionButton
        {...manageButtonProps}
        onClick={() => change(study, { kind: 'cancel', to: !isCancelled })}
      >
        {isCancelled ? t('ui.studies.screen.uncancel') : t('ui.studies.screen.cancel')}
      </PermissionButton>
      {isErasable && (
        <Button size={size} variant="default" onClick={() => setAsking('erase')}>
          {t('ui.erase.open')}…
        </Button>
      )}
      <AssignDialog study={asking === 'assign' ? study : null} onClose={close} />
      <SeverityDialog
        study={asking === 'severity' ? study : null}
        onClose={close}
        onChoose={(to) => {
          close()
          if (to !== study.severity) change(study, { kind: 'severity', to })
        }}
      />
      {asking === 'edit' && details && (
        <StudyForm
          area={area}
          details={details}
          onClose={close}
          onDone={() => {
            close()
            void refresh(study.studyId)
          }}
        />
      )}
      {asking === 'erase' && (
        <EraseDialog studyInstanceUid={study.studyInstanceUid} onClose={close} />
      )}
      {asking === 'link' && <LinkDialog study={study} onClose={close} />}
      {url !== null && (
        <NewLinkDialog
          url={url}
          about={t('ui.studies.link.onceViewer')}
          onClose={() => setUrl(null)}
        />
      )}
    </Group>
  )
}
