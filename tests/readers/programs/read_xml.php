<?php
// Read FIDE's XML with a SAX parser, in pieces, and keep of each element the last piece of text that is reported.
$rows = [];
$row = null;
$text = '';
$parser = xml_parser_create('UTF-8');
xml_parser_set_option($parser, XML_OPTION_CASE_FOLDING, 0);
xml_set_element_handler(
    $parser,
    function ($parser, $name) use (&$row, &$text) {
        if ($name === 'player') {
            $row = [];
        }
        $text = '';
    },
    function ($parser, $name) use (&$rows, &$row, &$text) {
        if ($name === 'player') {
            $rows[] = $row;
        } elseif ($row !== null) {
            $row[$name] = $text;
        }
    }
);
xml_set_character_data_handler($parser, function ($parser, $data) use (&$text) {
    $text = $data;
});
if (!xml_parse($parser, file_get_contents($argv[1]), true)) {
    fwrite(STDERR, xml_error_string(xml_get_error_code($parser)));
    exit(1);
}
echo json_encode($rows, JSON_UNESCAPED_UNICODE);
