import { SegmentedControl } from '@mantine/core'
import { IconFolders, IconPlus } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import type { Severity } from '#shared/contract/values.ts'
import type { StudyId } from '#shared/ids.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../../ui/allowed.tsx'
import { openImages } from '../../ui/open-images.tsx'
import { Page } from '../../ui/page.tsx'
import { PreviewButton, type PreviewChoice, usePreviewChoice } from '../../ui/preview-pane.tsx'
import { AssignDialog } from '../../ui/study-list/assign-dialog.tsx'
import { studyColumns as columns, selectColumn } from '../../ui/study-list/study-columns.tsx'
import { type RowAction, StudyList } from '../../ui/study-list/study-list.tsx'
import { useSelection } from '../../ui/study-list/use-selection.ts'
import { canBeAssigned, useStudyActions } from '../../ui/study-list/use-study-actions.ts'
import { useStudyList } from '../../ui/study-list/use-study-list.ts'
import { showDone } from '../../ui/undo.tsx'
import { BulkBar } from './bulk.tsx'
import { Preview } from './preview.tsx'
import { SeverityDialog } from './severity-dialog.tsx'
import { StudyForm } from './study-form.tsx'

const route = getRouteApi('/shell/studies')
const AREAS = ['scribe', 'viewer'] as const

/** Studies of both areas: found, looked at, made and changed. */
export function Studies() {
  const address = route.useSearch()
  const area: StudyArea = address.area === 'viewer' ? 'viewer' : 'scribe'
  return <Area key={area} area={area} />
}

function Area({ area }: { area: StudyArea }) {
  const address = route.useSearch()
  const navigate = useNavigate()
  const state = useStudyList({
    list: 'studies',
    area,
    address,
    go: (search, isStep) => void navigate({ to: '/studies', search, replace: !isStep }),
  })
  const { renew, rows } = state.rows
  const [at] = useState(address.study)
  const [currentId, setCurrentId] = useState<string | undefined>(at)
  const preview = usePreviewChoice('isthmus-study-preview')
  const [dialog, setDialog] = useState<StudyDialog>(null)
  const { change, actions } = useRowActions(area, renew, setDialog)
  const selection = useSelection(rows)
  const { may: mayAssign } = usePermission('manageStudies')
  const shownColumns = useMemo(
    () => columnsOf(area, selection, mayAssign),
    [selection, area, mayAssign],
  )
  const open = (studyId: StudyId) => void navigate({ to: '/studies/$studyId', params: { studyId } })
  return (
    <Page
      title={t('ui.studies.title')}
      isFull
      actions={<Actions area={area} preview={preview} onMake={() => setDialog({ what: 'make' })} />}
    >
      <StudyList
        state={state}
        to="/studies"
        label={t('ui.studies.label')}
        columns={shownColumns}
        at={at}
        onOpen={({ studyId }) => open(studyId)}
        onCurrent={(study) => {
          setCurrentId(study.studyId)
          rememberCurrentStudy(study.studyId)
        }}
        selected={selection.selected}
        onSelect={selection.onSelect}
        above={
          <BulkBar
            selected={selection.studies}
            loaded={rows.length}
            onAll={selection.all}
            onClear={selection.clear}
          />
        }
        side={
          preview.isShown ? (
            <Preview
              study={rows.find(({ studyId }) => studyId === currentId) ?? null}
              renew={renew}
            />
          ) : undefined
        }
        actions={[
          ...actions,
          { keys: 'p', name: t('ui.study-list.keyNames.preview'), run: preview.toggle },
        ]}
        none={{
          icon: <IconFolders size={34} stroke={1.3} />,
          title: t(`ui.studies.none.${area}.label`),
          text: t(`ui.studies.none.${area}.description`),
        }}
      />
      <Dialogs
        area={area}
        asked={dialog}
        onSeverity={(study, to) => change(study, { kind: 'severity', to })}
        onMade={open}
        onClose={() => setDialog(null)}
      />
    </Page>
  )
}

/** What keys do with the study of the current row. */
function useRowActions(
  area: StudyArea,
  renew: (studies: readonly WindowStudy[]) => void,
  onAsk: (asked: StudyDialog) => void,
) {
  const navigate = useNavigate()
  const { change, assignToMe } = useStudyActions(renew)
  const { may: mayManage } = usePermission('manageStudies')
  const openReport = ({ studyId }: WindowStudy) =>
    void navigate({ to: '/reading/$studyId', params: { studyId } })
  const actions: readonly RowAction[] = [
    { keys: 'a', name: t('ui.study-list.keyNames.assign'), run: assignToMe },
    {
      keys: 'shift+a',
      name: t('ui.study-list.keyNames.assignTo'),
      run: (study) => mayManage && canBeAssigned(study) && onAsk({ what: 'assign', study }),
    },
    {
      keys: 's',
      name: t('ui.study-list.keyNames.severity'),
      run: (study) => mayManage && onAsk({ what: 'severity', study }),
    },
    {
      keys: 'c',
      name: t('ui.study-list.keyNames.cancel'),
      run: (study) => mayManage && change(study, { kind: 'cancel', to: !study.isCancelled }),
    },
    {
      keys: 'v',
      name: t('ui.study-list.keyNames.images'),
      run: ({ studyId }) => void openImages({ studyId }),
    },
    ...(area === 'scribe'
      ? [{ keys: 'r', name: t('ui.study-list.keyNames.report'), run: openReport }]
      : []),
  ]
  return { change, actions }
}

const columnsOf = (
  area: StudyArea,
  selection: Parameters<typeof selectColumn>[0],
  mayAssign: boolean,
) => [
  selectColumn(selection),
  columns.severity,
  columns.patient('/studies/$studyId'),
  columns.accession,
  columns.study,
  columns.scanned,
  columns.from,
  columns.assigned(mayAssign),
  ...(area === 'scribe' ? [columns.waiting] : []),
  columns.images,
  columns.status,
]

function Actions({
  area,
  preview,
  onMake,
}: {
  area: StudyArea
  preview: PreviewChoice
  onMake: () => void
}) {
  const navigate = useNavigate()
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t('ui.studies.area')}
        value={area}
        onChange={(next) => void navigate({ to: '/studies', search: { area: next } })}
        data={AREAS.map((value) => ({ value, label: t(`ui.studies.areas.${value}`) }))}
      />
      <PreviewButton choice={preview} />
      <PermissionButton
        permission="manageStudies"
        leftSection={<IconPlus size={16} />}
        onClick={onMake}
      >
        {t('ui.studies.make')}
      </PermissionButton>
    </>
  )
}

/** A study to be made, or what is to be changed of one. */
type StudyDialog =
  | { readonly what: 'make' }
  | { readonly what: 'severity' | 'assign'; readonly study: WindowStudy }
  | null

interface DialogsProps {
  readonly area: StudyArea
  readonly asked: StudyDialog
  readonly onSeverity: (study: WindowStudy, severity: Severity) => void
  readonly onMade: (studyId: StudyId) => void
  readonly onClose: () => void
}

function Dialogs({ area, asked, onSeverity, onMade, onClose }: DialogsProps) {
  const studyOf = (what: 'severity' | 'assign') => (asked?.what === what ? asked.study : null)
  const studyToRate = studyOf('severity')
  return (
    <>
      <SeverityDialog
        study={studyToRate}
        onClose={onClose}
        onChoose={(severity) => {
          if (studyToRate && studyToRate.severity !== severity) onSeverity(studyToRate, severity)
          onClose()
        }}
      />
      <AssignDialog study={studyOf('assign')} onClose={onClose} />
      {asked?.what === 'make' && (
        <StudyForm
          area={area}
          details={null}
          onClose={onClose}
          onDone={(studyId) => {
            onClose()
            showDone(t('ui.studies.done.made'))
            onMade(studyId)
          }}
        />
      )}
    </>
  )
}

/**
 * The current row goes into the address without a step of its own, so that coming back finds it.
 */
function rememberCurrentStudy(studyId: string): void {
  const [path = '', search = ''] = window.location.hash.slice(1).split('?')
  if (path !== '/studies') return
  const next = new URLSearchParams(search)
  next.set('study', studyId)
  window.history.replaceState(window.history.state, '', `#${path}?${next}`)
}
