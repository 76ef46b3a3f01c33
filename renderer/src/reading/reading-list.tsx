import { IconReportMedical } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { useMay } from '../components/allowed.tsx'
import { openImages } from '../components/open-images.tsx'
import { Page } from '../components/page.tsx'
import type { Column } from '../components/virtual-table.tsx'
import { t } from '../i18n/t.ts'
import { SoundSwitch } from '../lists/sound-switch.tsx'
import { studyColumns as columns } from '../lists/study-columns.tsx'
import { StudyList } from '../lists/study-list.tsx'
import { useStudyList } from '../lists/use-study-list.ts'
import { useStudyActions } from '../studies/use-study-actions.ts'
import { AssignCell } from './assign-cell.tsx'
import { ReadingTabs } from './tabs.tsx'

const route = getRouteApi('/shell/reading')

const columnsFor = (mayAssign: boolean): readonly Column<WindowStudy>[] => [
  columns.severity,
  columns.patient('/reading/$studyId'),
  columns.study,
  columns.scanned,
  columns.waiting,
  columns.images,
  columns.status,
  {
    ...columns.assigned,
    track: 'minmax(122px, 1.1fr)',
    rank: 3,
    cell: (study, isCurrent) => (
      <AssignCell study={study} mayAssign={mayAssign} isCurrent={isCurrent} />
    ),
  },
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
  const { may: mayManage } = useMay('manageStudies')
  const shown = useMemo(() => columnsFor(mayManage), [mayManage])
  const [at] = useState(address.study)
  const open = ({ studyId }: WindowStudy) =>
    void navigate({ to: '/reading/$studyId', params: { studyId } })
  return (
    <Page title={t('ui.reading.list.title')} actions={<SoundSwitch />} isFull>
      <ReadingTabs />
      <StudyList
        state={state}
        to="/reading"
        label={t('ui.reading.list.label')}
        columns={shown}
        at={at}
        onOpen={open}
        actions={[
          { keys: 'a', name: t('ui.lists.keyNames.assign'), run: assignToMe },
          {
            keys: 'v',
            name: t('ui.lists.keyNames.images'),
            run: ({ studyId }) => void openImages({ studyId }),
          },
          { keys: 'r', name: t('ui.lists.keyNames.report'), run: open },
        ]}
        none={{
          icon: <IconReportMedical size={34} stroke={1.3} />,
          title: t('ui.reading.list.none'),
          text: t('ui.reading.list.noneText'),
        }}
      />
    </Page>
  )
}
