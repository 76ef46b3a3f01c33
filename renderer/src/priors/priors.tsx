import { IconArrowLeft, IconHistory } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { NativeNotice } from '../destinations/native-notice.tsx'
import { useReply } from '../gateway.ts'
import { t } from '../i18n/t.ts'
import { FindForm } from './find-form.tsx'
import type { Found } from './found.ts'
import { FoundStudies } from './found-studies.tsx'
import css from './priors.module.css'
import { Pulls } from './pulls.tsx'

const route = getRouteApi('/shell/destinations/priors')

/** Earlier studies of a patient in another system: found by C-FIND, fetched by C-MOVE. */
export function Priors() {
  const { study: studyInstanceUid, destination } = route.useSearch()
  const list = useReply(dashboardDestinations.list, {})
  const study = useReply(
    dashboardImages.read,
    { params: { studyInstanceUid: studyInstanceUid ?? '' } },
    { enabled: studyInstanceUid !== undefined, staleTime: Number.POSITIVE_INFINITY },
  )
  const [found, setFound] = useState<Found | null>(null)
  const open = list.data?.destinations.filter((one) => one.isEnabled && one.hasPriors) ?? []
  const isReady = list.isSuccess && (studyInstanceUid === undefined || !study.isPending)

  return (
    <Page
      title={t('ui.priors.title')}
      about={
        <>
          {t('ui.priors.about')}
          <div>
            <Back studyInstanceUid={studyInstanceUid} />
          </div>
        </>
      }
    >
      <NativeNotice native={list.data?.native} />
      {!isReady && !list.isError && <Waiting rows={4} />}
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {isReady && open.length === 0 && (
        <Panel>
          <Empty
            icon={<IconHistory size={34} stroke={1.3} />}
            title={t('ui.priors.none')}
            action={<Link to="/destinations">{t('ui.priors.back')}</Link>}
          >
            {t('ui.priors.noneText')}
          </Empty>
        </Panel>
      )}
      {isReady && open.length > 0 && (
        <>
          <FindForm destinations={open} first={destination} study={study.data} onFound={setFound} />
          <div className={css.columns}>
            {found ? (
              <FoundStudies found={found} patientId={study.data?.patientId} />
            ) : (
              <Panel>
                <Empty icon={<IconHistory size={34} stroke={1.3} />} title={t('ui.priors.before')}>
                  {t('ui.priors.beforeText')}
                </Empty>
              </Panel>
            )}
            <Pulls />
          </div>
        </>
      )}
    </Page>
  )
}

function Back({ studyInstanceUid }: { studyInstanceUid: string | undefined }) {
  if (studyInstanceUid) {
    return (
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
        <IconArrowLeft size={14} style={{ verticalAlign: -2 }} /> {t('ui.priors.backToStudy')}
      </Link>
    )
  }
  return (
    <Link to="/destinations">
      <IconArrowLeft size={14} style={{ verticalAlign: -2 }} /> {t('ui.priors.back')}
    </Link>
  )
}
