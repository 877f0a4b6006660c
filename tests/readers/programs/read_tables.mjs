// Read a table with the library that is named first: papaparse, xlsx (SheetJS), fast-xml-parser or hyparquet.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [library, file] = process.argv.slice(2)
const require = createRequire(path.join(process.env.READERS_NODE, 'package.json'))

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
  const { asyncBufferFromFile, parquetReadObjects } = await import(require.resolve('hyparquet').replace('hyparquet.cjs', 'node.js'))
  const { compressors } = await import(require.resolve('hyparquet-compressors'))
  return parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })
}

const plain = (_key, value) => (typeof value === 'bigint' ? value.toString() : value)
console.log(JSON.stringify(await rows(), plain))
