import { IconReportMedical } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { openImages } from '../../ui/open-images.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadingTabs } from '../../ui/sections/report-tabs.tsx'
import { AssignDialog } from '../../ui/study-list/assign-dialog.tsx'
import { SoundSwitch } from '../../ui/study-list/sound-switch.tsx'
import { studyColumns as columns } from '../../ui/study-list/study-columns.tsx'
import { StudyList } from '../../ui/study-list/study-list.tsx'
import { canBeAssigned, useStudyActions } from '../../ui/study-list/use-study-actions.ts'
import { useStudyList } from '../../ui/study-list/use-study-list.ts'

const route = getRouteApi('/shell/reading')

const columnsFor = (mayAssign: boolean): readonly Column<WindowStudy>[] => [
  columns.severity,
  columns.patient('/reading/$studyId'),
  columns.study,
  columns.scanned,
  columns.waiting,
  columns.images,
  columns.status,
  columns.assigned(mayAssign),
  columns.accession,
  columns.from,
]

/** Studies for reporting, the most urgent first. */
export function ReadingList() {
  const address = route.useSearch()
  const navigate = useNavigate()
  const state = useStudyList({
    list: 'reading',
    area: 'scribe',
    address,
    go: (search, isStep) => void navigate({ to: '/reading', search, replace: !isStep }),
  })
  const { assignToMe } = useStudyActions(state.rows.renew)
  const { may: mayManage } = usePermission('manageStudies')
  const shown = useMemo(() => columnsFor(mayManage), [mayManage])
  const [at] = useState(address.study)
  const [assigned, setAssigned] = useState<WindowStudy | null>(null)
  const assign = (study: WindowStudy) => canBeAssigned(study) && setAssigned(study)
  const open = ({ studyId }: WindowStudy) =>
    void navigate({ to: '/reading/$studyId', params: { studyId } })
  return (
    <Page title={t('ui.reports.list.title')} actions={<SoundSwitch />} isFull>
      <ReadingTabs />
      <StudyList
        state={state}
        to="/reading"
        label={t('ui.reports.list.label')}
        columns={shown}
        at={at}
        onOpen={open}
        actions={[
          { keys: 'a', name: t('ui.study-list.keyNames.assign'), run: assignToMe },
          ...(mayManage
            ? [{ keys: 'shift+a', name: t('ui.study-list.keyNames.assignTo'), run: assign }]
            : []),
          {
            keys: 'v',
            name: t('ui.study-list.keyNames.images'),
            run: ({ studyId }) => void openImages({ studyId }),
          },
          { keys: 'r', name: t('ui.study-list.keyNames.report'), run: open },
        ]}
        none={{
          icon: <IconReportMedical size={34} stroke={1.3} />,
          title: t('ui.reports.list.none'),
          text: t('ui.reports.list.noneText'),
        }}
      />
      <AssignDialog study={assigned} onClose={() => setAssigned(null)} />
    </Page>
  )
}
