# Read FIDE's XML with a stream parser, and keep of each element the last piece of text that is reported.
require "rexml/parsers/streamparser"
require "rexml/streamlistener"
require "json"

class Players
  include REXML::StreamListener
  attr_reader :rows

  def initialize
    @rows = []
  end

  def tag_start(name, _attributes)
    @row = {} if name == "player"
    @text = ""
  end

  def text(text)
    @text = text
  end

  def tag_end(name)
    if name == "player"
      @rows << @row
    elsif @row
      @row[name] = @text
    end
  end
end

players = Players.new
File.open(ARGV[0]) { |file| REXML::Parsers::StreamParser.new(file, players).parse }
puts JSON.generate(players.rows)
