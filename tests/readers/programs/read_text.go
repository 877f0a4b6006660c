// Read FIDE's combined text by the places of its columns; every figure must be a number.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
)

var (
	widths = []int{15, 61, 4, 4, 5, 5, 15, 4, 6, 4, 3, 6, 4, 3, 6, 4, 3, 6, 4}
	names  = strings.Fields("fideid name country sex title w_title o_title foa_title rating games k rapid_rating rapid_games " +
		"rapid_k blitz_rating blitz_games blitz_k birthday flag")
	figures = regexp.MustCompile("rating$|games$|^k$|_k$|^fideid$|^birthday$")
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(file)
	lines.Scan()
	rows := []map[string]string{}
	for lines.Scan() {
		line, start, row := lines.Text(), 0, map[string]string{}
		for at, name := range names {
			text := strings.TrimSpace(line[start : start+widths[at]])
			start += widths[at]
			if figures.MatchString(name) {
				if _, err := strconv.Atoi(text); err != nil {
					log.Fatal(err)
				}
				text = strings.TrimLeft(text[:len(text)-1], "0") + text[len(text)-1:]
			}
			row[name] = text
		}
		rows = append(rows, row)
	}
	if err := json.NewEncoder(os.Stdout).Encode(rows); err != nil {
		log.Fatal(err)
	}
}
