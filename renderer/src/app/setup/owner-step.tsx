import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { FactList, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

/** Nobody sees this without an account: the form that makes it comes before. */
export function OwnerStep() {
  const user = useSession().data?.user
  return (
    <Panel title={t('ui.setup.owner.made')}>
      <Stack>
        <FactList
          facts={[
            [t('ui.setup.owner.name'), `${user?.firstName ?? ''} ${user?.lastName ?? ''}`],
            [t('ui.setup.owner.email'), user?.email ?? ''],
          ]}
        />
        <Notice tone="info" actions={<Link to="/account">{t('ui.setup.owner.account')}</Link>}>
          {t('ui.setup.owner.second')}
        </Notice>
      </Stack>
    </Panel>
  )
}
