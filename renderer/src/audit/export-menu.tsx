import { Button, Menu, Text } from '@mantine/core'
import { IconDownload, IconFileTypeCsv, IconJson } from '@tabler/icons-react'
import type { AuditFilter } from '#shared/contract/dashboard.ts'
import { exportAddress } from './filter.ts'
import { words } from './words.ts'

const FORMATS = [
  ['csv', IconFileTypeCsv, words.csv, words.csvAbout],
  ['jsonl', IconJson, words.jsonl, words.jsonlAbout],
] as const

/** Downloads the trail, or the days that are chosen. */
export function ExportMenu({ filter: { from, to } }: { filter: AuditFilter }) {
  const span = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  return (
    <Menu withinPortal={false} position="bottom-end" width={300}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          title={words.exportNoted}
        >
          {Object.keys(span).length > 0 ? words.exportSpan : words.exportAll}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(([format, Icon, name, about]) => (
          <Menu.Item
            key={format}
            leftSection={<Icon size={17} stroke={1.6} />}
            component="a"
            href={exportAddress(format, span)}
            download
          >
            {name}{' '}
            <Text span c="dimmed" size="sm">
              {about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
