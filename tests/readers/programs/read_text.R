# Read FIDE's combined text with read.fwf, and print the rows as JSON.
file <- commandArgs(trailingOnly = TRUE)[1]
widths <- c(15, 61, 4, 4, 5, 5, 15, 4, 6, 4, 3, 6, 4, 3, 6, 4, 3, 6, 4)
names <- strsplit(paste("fideid name country sex title w_title o_title foa_title rating games k rapid_rating rapid_games rapid_k",
        "blitz_rating blitz_games blitz_k birthday flag"), " ")[[1]]
figures <- grepl("rating$|games$|^k$|_k$|^fideid$|^birthday$", names)
rows <- read.fwf(file, widths = widths, skip = 1, col.names = names, strip.white = TRUE, comment.char = "",
                 na.strings = "", colClasses = ifelse(figures, "numeric", "character"))
cell <- function(value) {
  text <- if (is.numeric(value)) format(value, scientific = FALSE, trim = TRUE) else ifelse(is.na(value), "", value)
  paste0("\"", gsub("\"", "\\\"", gsub("\\", "\\\\", text, fixed = TRUE), fixed = TRUE), "\"")
}
columns <- mapply(function(name) paste0("\"", name, "\":", cell(rows[[name]])), names)
cat("[", paste0("{", apply(columns, 1, paste, collapse = ","), "}", collapse = ",\n"), "]", sep = "")
