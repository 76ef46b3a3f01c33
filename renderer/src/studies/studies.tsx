import { ActionIcon, SegmentedControl, Tooltip } from '@mantine/core'
import { IconFolders, IconLayoutSidebarRight, IconPlus } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { MayButton, useMay } from '../components/allowed.tsx'
import { openImages } from '../components/open-images.tsx'
import { Page } from '../components/page.tsx'
import { showDone } from '../components/undo.tsx'
import { studyColumns as columns, selectColumn } from '../lists/study-columns.tsx'
import { StudyList } from '../lists/study-list.tsx'
import { useSelection } from '../lists/use-selection.ts'
import { useStudyList } from '../lists/use-study-list.ts'
import { words as listWords } from '../lists/words.ts'
import { BulkBar } from './bulk.tsx'
import { Preview } from './preview.tsx'
import { isPreviewShown, showPreview } from './preview-shown.ts'
import { SeverityDialog } from './severity-dialog.tsx'
import { StudyForm } from './study-form.tsx'
import { useStudyActions } from './use-study-actions.ts'
import { words } from './words.ts'

const route = getRouteApi('/shell/studies')
const { keyNames } = listWords
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
  const { change, assignToMe } = useStudyActions(renew)
  const { may: mayManage } = useMay('manageStudies')
  const [at] = useState(address.study)
  const [currentId, setCurrentId] = useState<string | undefined>(at)
  const [isShown, setIsShown] = useState(isPreviewShown)
  const [dialog, setDialog] = useState<'make' | WindowStudy | null>(null)
  const selection = useSelection(rows)
  const shownColumns = useMemo(
    () => [
      selectColumn(selection),
      columns.severity,
      columns.patient('/studies/$studyId'),
      columns.accession,
      columns.study,
      columns.scanned,
      columns.from,
      columns.assigned,
      ...(area === 'scribe' ? [columns.waiting] : []),
      columns.images,
      columns.status,
    ],
    [selection, area],
  )
  const open = ({ studyId }: WindowStudy) => void navigate({ to: '/studies/$studyId', params: { studyId } })
  const toggle = () => {
    showPreview(!isShown)
    setIsShown(!isShown)
  }
  const [title, text] = words.none[area]
  const previewName = isShown ? words.hidePreview : words.showPreview
  return (
    <Page
      title={words.title}
      isFull
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={words.area}
            value={area}
            onChange={(next) => void navigate({ to: '/studies', search: { area: next } })}
            data={AREAS.map((value) => ({ value, label: words.areas[value] }))}
          />
          <Tooltip label={previewName}>
            <ActionIcon size="lg" aria-label={previewName} aria-pressed={isShown} onClick={toggle}>
              <IconLayoutSidebarRight size={18} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
          <MayButton permission="manageStudies" leftSection={<IconPlus size={16} />} onClick={() => setDialog('make')}>
            {words.make}
          </MayButton>
        </>
      }
    >
      <StudyList
        state={state}
        to="/studies"
        label={words.label}
        columns={shownColumns}
        at={at}
        onOpen={open}
        onCurrent={(study) => {
          setCurrentId(study.studyId)
          remember(study.studyId)
        }}
        selected={selection.selected}
        onSelect={selection.onSelect}
        above={<BulkBar selected={selection.studies} loaded={rows.length} onAll={selection.all} onClear={selection.clear} />}
        side={isShown ? <Preview study={rows.find(({ studyId }) => studyId === currentId) ?? null} renew={renew} /> : undefined}
        actions={[
          { keys: 'a', name: keyNames.assign, run: assignToMe },
          { keys: 's', name: keyNames.severity, run: (study) => mayManage && setDialog(study) },
          { keys: 'c', name: keyNames.cancel, run: (study) => mayManage && change(study, { kind: 'cancel', to: !study.isCancelled }) },
          { keys: 'v', name: keyNames.images, run: ({ studyId }) => void openImages({ studyId }) },
          ...(area === 'scribe'
            ? [
                {
                  keys: 'r',
                  name: keyNames.report,
                  run: ({ studyId }: WindowStudy) => void navigate({ to: '/reading/$studyId', params: { studyId } }),
                },
              ]
            : []),
          { keys: 'p', name: keyNames.preview, run: toggle },
        ]}
        none={{ icon: <IconFolders size={34} stroke={1.3} />, title, text }}
      />
      <SeverityDialog
        study={dialog === 'make' ? null : dialog}
        onClose={() => setDialog(null)}
        onChoose={(to) => {
          if (dialog && dialog !== 'make' && dialog.severity !== to) change(dialog, { kind: 'severity', to })
          setDialog(null)
        }}
      />
      {dialog === 'make' && (
        <StudyForm
          area={area}
          details={null}
          onClose={() => setDialog(null)}
          onDone={(studyId) => {
            setDialog(null)
            showDone(words.done.made)
            void navigate({ to: '/studies/$studyId', params: { studyId } })
          }}
        />
      )}
    </Page>
  )
}

/** The current row goes into the address without a step of its own, so that coming back finds it. */
function remember(studyId: string): void {
  const [path = '', search = ''] = window.location.hash.slice(1).split('?')
  if (path !== '/studies') return
  const next = new URLSearchParams(search)
  next.set('study', studyId)
  window.history.replaceState(window.history.state, '', `#${path}?${next}`)
}
