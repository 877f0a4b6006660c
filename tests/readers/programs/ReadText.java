// Read FIDE's combined text by the places of its columns; every figure must be a number.
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class ReadText {
    static final int[] WIDTHS = {15, 61, 4, 4, 5, 5, 15, 4, 6, 4, 3, 6, 4, 3, 6, 4, 3, 6, 4};
    static final String[] NAMES = ("fideid name country sex title w_title o_title foa_title rating games k rapid_rating "
        + "rapid_games rapid_k blitz_rating blitz_games blitz_k birthday flag").split(" ");

    public static void main(String[] arguments) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(arguments[0]), StandardCharsets.US_ASCII);
        List<String> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            List<String> fields = new ArrayList<>();
            int start = 0;
            for (int at = 0; at < NAMES.length; at++) {
                String text = line.substring(start, start + WIDTHS[at]).strip();
                start += WIDTHS[at];
                boolean figure = NAMES[at].matches("fideid|birthday|k|.*rating|.*games|.*_k");
                String value = figure ? Long.toString(Long.parseLong(text)) : text.replace("\\", "\\\\").replace("\"", "\\\"");
                fields.add("\"" + NAMES[at] + "\":\"" + value + "\"");
            }
            rows.add("{" + String.join(",", fields) + "}");
        }
        System.out.println("[" + String.join(",\n", rows) + "]");
    }
}
