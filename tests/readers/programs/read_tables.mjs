// Read a table with the library that is named first: papaparse, xlsx (SheetJS), fast-xml-parser, hyparquet, sql.js, or
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [library, file] = process.argv.slice(2)
const require = createRequire(path.join(process.env.READERS_NODE ?? '.', 'package.json'))

async function rows() {
  if (library === 'papaparse') {
    const text = fs.readFileSync(file, 'utf8')
    const read = require('papaparse').parse(text, { header: true, skipEmptyLines: true })
    if (read.errors.length) throw new Error(JSON.stringify(read.errors[0]))
    return read.data
  }
  if (library === 'xlsx') {
    const XLSX = require('xlsx')
    const book = XLSX.read(fs.readFileSync(file), { type: 'buffer', raw: true })
    return book.SheetNames.flatMap((name) =>
      XLSX.utils.sheet_to_json(book.Sheets[name], { defval: '', raw: true }).map((row) => ({ sheet: name, ...row })))
  }
  if (library === 'fast-xml-parser') {
    const { XMLParser } = require('fast-xml-parser')
    const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'player' })
    return parser.parse(fs.readFileSync(file, 'utf8')).playerslist.player
  }
  if (library === 'sql.js') {
    const SQL = await require('sql.js')()
    const order = "case time_control when 'standard' then 0 when 'rapid' then 1 else 2 end, rating desc, fide_id"
    const { columns, values } = new SQL.Database(fs.readFileSync(file)).exec(`select * from rating_list order by ${order}`)[0]
    return values.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
  }
  const { asyncBufferFromFile, parquetReadObjects } = await import(require.resolve('hyparquet').replace('hyparquet.cjs', 'node.js'))
  const { compressors } = await import(require.resolve('hyparquet-compressors'))
  return parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })
}

const plain = (_key, value) => (typeof value === 'bigint' ? value.toString() : value)
console.log(JSON.stringify(await rows(), plain))
