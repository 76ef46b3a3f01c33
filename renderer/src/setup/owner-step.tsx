import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Facts, Panel } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { useSession } from '../session.ts'
import { words } from './words.ts'

/** Nobody sees this without an account: the form that makes it comes before. */
export function OwnerStep() {
  const user = useSession().data?.user
  const { made, name, email, second, account } = words.owner
  return (
    <Panel title={made}>
      <Stack>
        <Facts
          facts={[
            [name, `${user?.firstName ?? ''} ${user?.lastName ?? ''}`],
            [email, user?.email ?? ''],
          ]}
        />
        <Notice tone="info" actions={<Link to="/account">{account}</Link>}>
          {second}
        </Notice>
      </Stack>
    </Panel>
  )
}
